"""Who gets the room on the workbench."""

from crawler.fetching.room import AT_ONCE, Room

CAPACITY = 1 << 14


def filled(waiting: int) -> Room:
    room = Room(CAPACITY)
    room.waiting = waiting
    return room


def test_a_share_is_smaller_the_more_servers_there_are_but_never_very_large_or_small() -> None:
    shares = [filled(0).share(servers) for servers in (0, 10, 100, 1000, 10**6)]
    assert shares == [256, 256, CAPACITY // 104, CAPACITY // 1004, 8]


def test_while_half_of_it_is_free_all_may_come() -> None:
    room = filled(CAPACITY // 2 - 1)
    for _ in range(9):
        room.came(5000, 0)
        assert room.is_for_parked
        room.came_back(50_000)
        assert room.for_new(5000, 9, others_wait=True) == CAPACITY // 2 + 1


def test_beyond_that_new_and_parked_urls_take_turns() -> None:
    room = filled(CAPACITY // 2)
    came = came_back = 0
    for _ in range(200):
        if room.for_new(5000, 9, others_wait=True):
            room.came(1024, 0)
            came += 1024
        if room.is_for_parked:
            room.came_back(8)
            came_back += 8
    assert abs(came - came_back) <= 3 * 1024


def test_if_nobody_else_waits_what_is_new_may_take_all() -> None:
    room = filled(CAPACITY - 1)
    room.came(10**6, 0)
    assert room.for_new(5000, 9, others_wait=False) == 1
    assert room.for_new(5000, 9, others_wait=True) == 0


def test_a_workbench_that_few_servers_fill_is_open_to_others() -> None:
    room = filled(3 * CAPACITY)
    assert not room.is_for_parked
    assert room.for_new(100, 9, others_wait=False) == 1024
    assert room.for_new(CAPACITY // 8, 9, others_wait=False) == 0


def test_only_some_thousands_are_put_by_until_a_connection_is_idle() -> None:
    room = filled(0)
    room.came(AT_ONCE, AT_ONCE - 1)
    assert room.for_new(1, 1, others_wait=False)
    room.came(1, 1)
    assert not room.for_new(1, 1, others_wait=False)
    assert room.look_further()
    assert room.for_new(1, 1, others_wait=False)
    assert not room.look_further()


def test_where_the_ordering_has_nothing_to_give_parked_urls_may_come() -> None:
    room = filled(CAPACITY // 2)
    room.came_back(5000)
    assert not room.is_for_parked
    room.not_taken(1023)  # too little to be taken
    assert not room.is_for_parked
    room.not_taken(1024)
    assert room.is_for_parked


def test_there_are_not_more_backlogs_than_can_be_kept_in_memory() -> None:
    assert filled(0).for_new(1, 1 << 15, others_wait=False) == 0
