package dev.remat.cli.console;

/** The version of remat, as {@code pom.xml} has it. */
public final class Version {
    public static final String REMAT = "0.1.0-SNAPSHOT";

    private Version() {}
}
