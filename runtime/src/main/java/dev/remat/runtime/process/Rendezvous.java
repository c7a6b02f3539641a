package dev.remat.runtime.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * The first rank, to which all others come that no library joins, each with something that all are to know. Only who
 * knows the secret of all is listened to, and nobody learns it by listening; what is said is not encrypted.
 */
public final class Rendezvous implements AutoCloseable {
    private static final int STRANGERS = 256;
    private static final long RETRY_MILLIS = 100;

    /** A rank that has come. */
    private record Guest(ControlConnection connection, Greeting.Hello hello) {}

    private final ServerSocket socket;
    private final int ranks;
    private final byte[] secret;
    private final SortedMap<Integer, Guest> guests = new TreeMap<>();
    private int strangers;
    private String refused = "";

    private Rendezvous(ServerSocket socket, int ranks, byte[] secret) {
        this.socket = socket;
        this.ranks = ranks;
        this.secret = secret.clone();
    }

    /**
     * Listens.
     *
     * @param port 0 for any that is free
     * @throws RendezvousException if that is taken
     */
    public static Rendezvous listen(InetAddress address, int port, int ranks, byte[] secret) {
        try {
            Rendezvous first = new Rendezvous(new ServerSocket(port, ranks + STRANGERS, address), ranks, secret);
            Thread.ofPlatform().daemon().name("rendezvous").start(first::accept);
            return first;
        } catch (IOException e) {
            throw new RendezvousException("rank 0 cannot listen on " + address.getHostAddress() + ":" + port + ": "
                    + e.getMessage() + "; another training may meet there, so name another port");
        }
    }

    public int port() {
        return socket.getLocalPort();
    }

    private void accept() {
        while (!socket.isClosed()) {
            try {
                Socket come = socket.accept();
                Thread.ofPlatform().daemon().name("rendezvous-of").start(() -> greet(come));
            } catch (IOException e) {
                // Closed, or out of sockets, by which ranks will be missed.
                return;
            }
        }
    }

    private void greet(Socket come) {
        try {
            ControlConnection connection = new ControlConnection(come);
            String asked = Greeting.question();
            connection.send(Greeting.FIRST, asked);
            String problem;
            try {
                problem = welcome(connection, Greeting.Hello.of(connection.receive(), asked, secret));
            } catch (IllegalArgumentException e) {
                stranger();
                problem = e.getMessage();
            }
            if (!problem.isEmpty()) {
                connection.send(Greeting.refused(problem));
                connection.close();
            }
        } catch (IOException e) {
            // Who comes and goes is nobody.
            return;
        }
    }

    private synchronized void stranger() {
        strangers++;
    }

    /** What is wrong with a rank that has come, which is wrong for all; nothing if all is well. */
    private synchronized String welcome(ControlConnection connection, Greeting.Hello hello) {
        if (hello.ranks() != ranks) {
            refused = "rank " + hello.rank() + " was started as one of " + hello.ranks() + ", and rank 0 as one of "
                    + ranks;
        } else if (hello.rank() == 0 || guests.containsKey(hello.rank())) {
            refused = "two processes say that they are rank " + hello.rank();
        } else {
            guests.put(hello.rank(), new Guest(connection, hello));
        }
        notifyAll();
        return refused;
    }

    /**
     * Waits for all others, and returns what each says, in the order of ranks.
     *
     * @throws RendezvousException naming those that do not come in time, or what is wrong with those that do
     */
    public List<byte[]> meet(byte[] own, Duration most) {
        String problem = await(most);
        List<Guest> all;
        synchronized (this) {
            all = List.copyOf(guests.values());
        }
        if (!problem.isEmpty()) {
            all.forEach(guest -> tell(guest, List.<String[]>of(Greeting.refused(problem))));
            throw new RendezvousException(problem);
        }
        List<String> said = new ArrayList<>(List.of(Greeting.word(own)));
        all.forEach(guest -> said.add(guest.hello().says()));
        for (Guest guest : all) {
            List<String[]> lines = new ArrayList<>();
            for (int rank = 0; rank < ranks; rank++) {
                lines.add(Greeting.said(rank, said.get(rank)));
            }
            lines.add(Greeting.sealed(guest.hello().seal(secret, said)));
            tell(guest, lines);
        }
        return said.stream().map(Greeting::bytes).toList();
    }

    /** What is wrong when all have come, or when the time is over; nothing if all is well. */
    private synchronized String await(Duration most) {
        long end = System.nanoTime() + most.toNanos();
        try {
            while (guests.size() < ranks - 1 && refused.isEmpty()) {
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (left <= 0) {
                    return missing(most);
                }
                wait(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted while waiting for ranks";
        }
        return refused;
    }

    private String missing(Duration most) {
        List<String> missing = IntStream.range(1, ranks)
                .filter(rank -> !guests.containsKey(rank))
                .mapToObj(String::valueOf)
                .toList();
        return (missing.size() == 1 ? "rank " : "ranks ") + String.join(", ", missing) + " of " + ranks
                + (missing.size() == 1 ? " has" : " have") + " not come to rank 0 at "
                + socket.getInetAddress().getHostAddress() + ":" + port() + " within " + most.toSeconds() + " s"
                + (strangers == 0 ? "" : "; " + strangers + " came that know another secret or none");
    }

    private static void tell(Guest guest, List<String[]> lines) {
        try (ControlConnection connection = guest.connection()) {
            for (String[] line : lines) {
                connection.send(line);
            }
        } catch (IOException e) {
            // It is missed as soon as it should answer.
            return;
        }
    }

    /**
     * Comes to the first, as soon as that listens, and returns what each rank says, in their order.
     *
     * @param secret of all
     * @param source where that is from, for messages
     * @throws RendezvousException if the first is not there in time, or refuses this rank
     */
    public static List<byte[]> come(
            InetSocketAddress first, int rank, int ranks, byte[] secret, String source, byte[] own, Duration most) {
        long end = System.nanoTime() + most.toNanos();
        try (Socket socket = connect(first, rank, end, most);
                ControlConnection connection = new ControlConnection(socket)) {
            List<String> asked = connection.receive();
            if (asked.size() != 2 || !asked.getFirst().equals(Greeting.FIRST)) {
                throw new RendezvousException("what listens at " + name(first) + " is no rank 0 of remat");
            }
            Greeting.Hello hello =
                    new Greeting.Hello(rank, ranks, asked.get(1), Greeting.question(), Greeting.word(own));
            connection.send(hello.words(secret));
            connection.waitFor(most);
            List<String> said = new ArrayList<>();
            for (int other = 0; other < ranks; other++) {
                List<String> words = connection.receive();
                if (Greeting.isRefused(words)) {
                    throw new RendezvousException(Greeting.reason(words));
                }
                said.add(Greeting.saidBy(other, words));
            }
            Greeting.demandSeal(connection.receive(), hello.seal(secret, said));
            return said.stream().map(Greeting::bytes).toList();
        } catch (IOException | IllegalArgumentException e) {
            throw new RendezvousException("rank " + rank + " was not let in by rank 0 at " + name(first) + " ("
                    + e.getMessage() + "); all need the same secret, which this one has from " + source);
        }
    }

    private static Socket connect(InetSocketAddress first, int rank, long end, Duration most) throws IOException {
        while (true) {
            Socket socket = new Socket();
            try {
                socket.connect(first, Math.toIntExact(most.toMillis()));
                return socket;
            } catch (IOException e) {
                socket.close();
                if (System.nanoTime() > end) {
                    throw new RendezvousException("rank " + rank + " has not found rank 0 at " + name(first)
                            + " within " + most.toSeconds() + " s: " + e.getMessage());
                }
                pause();
            }
        }
    }

    private static void pause() throws IOException {
        try {
            TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static String name(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // Nobody listens any more, which was asked for.
            return;
        }
    }
}
