package dev.remat.cli;

/** Entry point of the {@code remat} command. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.exit(RematCommand.run(Console.ofProcess(), args));
    }
}
