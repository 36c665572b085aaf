"""Other crawlers on the same web in the same run: `crawlers` are what is run, `environments` what they are run in."""
