package dev.remat.codegen.cuda.emit;

import dev.remat.ir.DType;
import dev.remat.ir.execution.MemoryWrite;
import java.util.List;

/**
 * How neighbouring elements of one result are written.
 *
 * @param lane statement that hands over the value of lane l
 * @param store statements that write V elements from {@code i} on
 */
record WriteAccess(String declaration, String lane, String store) {
    static WriteAccess of(int number, MemoryWrite write, String value, StructText struct) {
        DType type = write.type().dtype();
        String name = CudaType.of(type);
        String to = struct.member(name + "*", "q" + number, call -> call.output(type, write.offset()));
        String pack = "y" + number;
        int width = OperandAccess.alignedWidth(write.offset(), List.of(), type);
        String whole = "store_pack(" + to + " + i, " + pack + ");\n";
        String store = width >= 8
                ? whole
                : "if constexpr (V <= " + width + ") {\n" + whole + "} else {\n" + "for (int l = 0; l < V; l++) {\n"
                        + to + "[i + l] = " + pack + ".at[l];\n}\n}\n";
        return new WriteAccess(
                "Pack<" + name + ", V> " + pack + ";\n",
                pack + ".at[l] = narrow<" + name + ">(" + value + ");\n",
                store);
    }
}
