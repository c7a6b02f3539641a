package dev.remat.cli.ranks;

import dev.remat.runtime.launch.MeetingPlace;
import dev.remat.runtime.launch.Started;
import dev.remat.runtime.mpi.MpiLauncher;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * How this process was started beside others.
 *
 * @param started who it is
 * @param mpi that joins it to the others, if one does
 * @param place where it finds the others, if that is known
 */
record Launch(Started started, Optional<MpiLauncher> mpi, Optional<MeetingPlace> place) {
    /**
     * What options say, else what the environment does; empty where it is alone.
     *
     * @param asked what options say
     * @param environment by name; null where a variable is not set
     * @throws IllegalArgumentException if these contradict each other
     */
    static Optional<Launch> find(Optional<MeetingPlace> asked, Function<String, String> environment) {
        Optional<MpiLauncher> mpi = MpiLauncher.find(environment);
        Optional<MeetingPlace> told = MeetingPlace.find(environment);
        Optional<MeetingPlace> place = asked.or(() -> told);
        if (place.isEmpty()) {
            return mpi.map(launcher -> new Launch(launcher.started(), mpi, place));
        }
        Started started = place.get().started();
        Stream.concat(mpi.stream().map(MpiLauncher::started), told.stream().map(MeetingPlace::started))
                .filter(other -> !place.get().mayBeStartedBy(other))
                .forEach(other -> {
                    throw new IllegalArgumentException(started.contradicts(other));
                });
        // What has started torchrun's agents knows nothing of what these have started.
        Optional<MpiLauncher> joining =
                mpi.filter(launcher -> asked.isEmpty() && started.agreesWith(launcher.started()));
        return Optional.of(new Launch(started, joining, place));
    }
}
