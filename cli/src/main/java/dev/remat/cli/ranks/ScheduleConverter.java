package dev.remat.cli.ranks;

import dev.remat.compiler.pipeline.Schedule;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A schedule of stages, for picocli. */
final class ScheduleConverter implements ITypeConverter<Schedule> {
    @Override
    public Schedule convert(String text) {
        return schedule(text, "");
    }

    /** @param others what else an option takes, behind a comma */
    static Schedule schedule(String text, String others) {
        return Schedule.parse(text)
                .orElseThrow(() -> new TypeConversionException(
                        "'" + text + "' is none of gpipe, 1f1b, interleaved=V with V from 2, zb" + others));
    }
}
