"""The outbox: what happened is noted in the transaction in which it happens, put together, and sent until it is taken.

`events` and `standing` note, `gathering` puts messages together at each tick, `sending` is the job that sends one,
`subscribing` is what a person does, and `replaying`: messages that are sent again take their turns (`in_turn`). Nothing is
lost and something may come twice, with the same number.

Nothing is imported here: whoever notes what happens loads neither mail nor TLS, which only the job that sends needs.
"""
