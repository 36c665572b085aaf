"""What a process takes of its machine."""

from crawler.process.usage import cpu_milliseconds, resident_bytes


def test_processor_time_goes_up_with_work() -> None:
    before = cpu_milliseconds()
    while cpu_milliseconds() < before + 20:
        pass


def test_memory_goes_up_with_what_is_held() -> None:
    before = resident_bytes()
    held = bytearray(b"x") * (64 << 20)
    assert 32 << 20 < resident_bytes() - before < 256 << 20
    assert len(held)
