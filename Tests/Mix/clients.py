"""A client that asks at random moments, and checks each answer."""
import time

# A request that nobody answered by then has failed.
LONGEST = 30


class Client:
    """Asks one server, with one connection for all or with a new one for each burst."""

    def __init__(self, server, keeps, count, end, random):
        self.server, self.keeps, self.count, self.end, self.random = server, keeps, count, end, random
        self.asked, self.longest, self.failures, self.first_waits = 0, 0.0, [], []
        self.connection = None

    def run(self):
        while self.asked < self.count:
            # Towards both ends alike: as many requests in each burst as the time that is left asks for.
            left = max(0.0, self.end - time.monotonic())
            bursts = max(1.0, left / 2.6)
            mean = (self.count - self.asked) / bursts
            size = max(1, min(self.count - self.asked, round(mean * self.random.uniform(0.3, 1.7))))
            self.burst(size)
            if left > 0 and self.asked < self.count:
                time.sleep(min(left, self.random.uniform(0, 5)))
        self.close()

    def burst(self, size):
        # Some come with a connection each, one after the other; the others share one.
        each = not self.keeps and self.random.random() < 0.5
        for number in range(size):
            begin = time.monotonic()
            try:
                if self.connection is None:
                    self.connection = self.server.connect(LONGEST)
                self.connection.ask(self.random)
            except Exception as error:  # Whatever a client may suffer is what is counted here.
                kind = "old" if self.keeps else "new"
                self.failures.append(f"{self.server.name}, {kind} connection, after {time.monotonic() - begin:.3f} s: "
                                     f"{type(error).__name__}: {error}")
                self.close()
            wait = time.monotonic() - begin
            self.asked += 1
            self.longest = max(self.longest, wait)
            if number == 0:
                self.first_waits.append(wait)
            if each:
                self.close()
        if not self.keeps:
            self.close()

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None
