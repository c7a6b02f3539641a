package dev.remat.cli.command;

/** The version of remat, as {@code pom.xml} has it. */
final class Version {
    static final String REMAT = "0.1.0-SNAPSHOT";

    private Version() {}
}
