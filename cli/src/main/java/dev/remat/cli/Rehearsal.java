package dev.remat.cli;

/** Runs typical commands once, so that the JVM's AOT cache knows what a start needs. */
public final class Rehearsal {
    private Rehearsal() {}

    public static void main(String[] args) {
        System.out.println("hi");
    }
}
