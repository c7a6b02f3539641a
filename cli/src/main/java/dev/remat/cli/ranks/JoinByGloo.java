package dev.remat.cli.ranks;

import dev.remat.ir.natives.CacheFolder;
import dev.remat.runtime.launch.MeetingPlace;
import dev.remat.runtime.launch.SharedSecret;
import dev.remat.runtime.launch.Started;
import dev.remat.runtime.launch.TorchStore;
import dev.remat.runtime.process.Engine;
import dev.remat.runtime.process.Messages;
import dev.remat.runtime.process.ProcessGroup;
import dev.remat.runtime.process.Rendezvous;
import dev.remat.runtime.process.RendezvousException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Brings together processes that are joined by Gloo.
 *
 * @param network that all listen on; without it the loopback
 * @param most how long it may take until all are there
 * @param silence after which a rank that says nothing is lost
 */
record JoinByGloo(MeetingPlace place, Optional<NetworkInterface> network, Duration most, Duration silence) {
    /**
     * Joins this process to the others.
     *
     * @param stages of each rank, which divide the number of processes
     * @throws RendezvousException if they do not come together
     * @throws dev.remat.ir.natives.LibraryUnavailableException if Gloo cannot be loaded
     */
    ProcessGroup join(int stages, Optional<String> witness) throws IOException {
        Engine engine = GlooJars.load();
        SharedSecret secret =
                SharedSecret.find(Optional.ofNullable(System.getenv(SharedSecret.VARIABLE)), CacheFolder.ofProcess());
        Started started = place.started();
        String name = network.isPresent() ? network.get().getName() : loopback();
        Messages messages = engine.join(started.rank(), started.ranks(), name, own -> meet(secret, own));
        return ProcessGroup.of(messages, stages, network, witness, Optional.of(secret.bytes()), silence);
    }

    private static String loopback() throws SocketException {
        return NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress())
                .getName();
    }

    private InetAddress here() {
        return network.map(ProcessGroup::address).orElseGet(InetAddress::getLoopbackAddress);
    }

    private List<byte[]> meet(SharedSecret secret, byte[] own) {
        Started started = place.started();
        try {
            if (started.rank() == 0) {
                int port = place.storeKey().isPresent() ? 0 : place.port();
                try (Rendezvous first = Rendezvous.listen(here(), port, started.ranks(), secret.bytes())) {
                    if (place.storeKey().isPresent()) {
                        tell(place.storeKey().get(), first.port());
                    }
                    return first.meet(own, most);
                }
            }
            InetSocketAddress first =
                    place.storeKey().isPresent() ? told(place.storeKey().get()) : named();
            return Rendezvous.come(first, started.rank(), started.ranks(), secret.bytes(), secret.source(), own, most);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where the first is to listen. On one machine that is on the loopback, whatever the machine calls itself. */
    private InetSocketAddress named() {
        return network.isPresent()
                ? new InetSocketAddress(place.host(), place.port())
                : new InetSocketAddress(InetAddress.getLoopbackAddress(), place.port());
    }

    private void tell(String key, int port) throws IOException {
        try (TorchStore store = store()) {
            store.set(key, here().getHostAddress() + " " + port);
        }
    }

    private InetSocketAddress told(String key) throws IOException {
        try (TorchStore store = store()) {
            String[] words = store.get(key, most).split(" ", 2);
            return new InetSocketAddress(InetAddress.getByName(words[0]), Integer.parseUnsignedInt(words[1]));
        } catch (SocketTimeoutException e) {
            throw new RendezvousException("rank 0 has not said in torchrun's store at " + place.host() + ":"
                    + place.port() + " within " + most.toSeconds() + " s where it listens");
        }
    }

    private TorchStore store() {
        try {
            return TorchStore.connect(new InetSocketAddress(place.host(), place.port()));
        } catch (IOException e) {
            throw new RendezvousException("torchrun's store at MASTER_ADDR=" + place.host() + " and MASTER_PORT="
                    + place.port() + " cannot be reached: " + e.getMessage());
        }
    }
}
