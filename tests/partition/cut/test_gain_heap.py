"""The queue of moves against a dictionary of gains."""

from hypothesis import given, settings
from hypothesis import strategies as st

from partition.cut.gain_heap import empty_queue, forget_all, pop, push, top

VERTICES = 9
STEPS = st.one_of(
    st.tuples(st.just("push"), st.integers(0, VERTICES - 1), st.integers(-4, 4) | st.integers(-(2**62), 2**62)),
    st.tuples(st.sampled_from(["pop", "pop", "forget"]), st.just(0), st.just(0)),
)


@settings(max_examples=300)
@given(st.lists(STEPS, max_size=60))
def test_a_queue_gives_back_the_largest_gain(steps: list[tuple[str, int, int]]) -> None:
    queue, gains = empty_queue(VERTICES), {}
    for step, vertex, gain in steps:
        if step == "push":
            push(queue, vertex, gain)
            gains[vertex] = gain
        elif step == "forget":
            forget_all(queue)
            gains = {}
        elif gains:
            assert top(queue) == max(gains.values())
            popped = pop(queue)
            assert gains.pop(popped) == max([*gains.values(), queue.gains[popped]]) == queue.gains[popped]
        assert queue.length[0] == len(gains)
        listed = queue.heap[: len(gains)].tolist()
        assert sorted(listed) == sorted(gains)
        assert queue.places.tolist() == [listed.index(vertex) if vertex in gains else -1 for vertex in range(VERTICES)]
    assert sorted(gains.values(), reverse=True) == [queue.gains[pop(queue)] for _ in range(len(gains))]
