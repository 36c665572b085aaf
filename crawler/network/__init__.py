"""The web itself, and who may be connected to.

`web` is the seam: requests, responses, lookups, and the time.  `curl_web` implements it with libcurl's multi interface
(a `curl_transfer` for each connection, watched by a `stall_detector`; `pooled_sockets` tells kept connections that the
server has closed; `curl_errors` says what an error code means) and c-ares (`dns_resolver`).  `address_guard` lets no
request inside, `bad_ports` none to a port of another protocol; `connect_to` overrides addresses, `contact` says who we
are, `product_token` by which name robots.txt files know us, and `header_lines` what an operator adds for some sites.
With a `proxy` all requests go through that (`proxy_errors`: is it to blame?).  `bandwidth` keeps to a limit, by the
bytes that `arrived_bytes` counts, which a `timetable` may change.  `socket_watch` is epoll.  A `prompt_web` answers at
once, without a network.
"""
