package dev.remat.cli;

/** Entry point of the {@code remat} command. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.out.println("hi");
        System.exit(2);
    }
}
