package dev.remat.codegen.cuda.emit;

import dev.remat.ir.DType;
import dev.remat.ir.execution.MemoryWrite;
import java.util.List;
import java.util.Optional;

/**
 * How neighbouring elements of one result are written.
 *
 * @param lane statement that hands over the value of lane l
 * @param store statements that write V elements from {@code i} on
 */
record WriteAccess(String declaration, String lane, String store) {
    /** @param there the condition on which anything is written, if there is one */
    static WriteAccess of(int number, MemoryWrite write, String value, Optional<String> there, StructText struct) {
        DType type = write.type().dtype();
        String name = CudaType.of(type);
        String to = struct.member(name + "*", "q" + number, call -> call.output(type, write.offset()));
        String pack = "y" + number;
        if (type == DType.BIT) {
            return bits(number, write, to, value, there);
        }
        int width = OperandAccess.alignedWidth(write.offset(), List.of(), type);
        String whole = "store_global(" + to + " + i, " + pack
                + there.map(condition -> ", " + condition).orElse("") + ");\n";
        String each = there.map(condition -> condition + " && ").orElse("") + "l < V";
        String store = width >= 8
                ? whole
                : "if constexpr (V <= " + width + ") {\n" + whole + "} else {\n" + "for (int l = 0; " + each
                        + "; l++) {\n" + to + "[i + l] = " + pack + ".at[l];\n}\n}\n";
        return new WriteAccess(
                "Pack<" + name + ", V> " + pack + ";\n",
                pack + ".at[l] = narrow<" + name + ">(" + value + ");\n",
                store);
    }

    /** Eight neighbours are a byte, which one thread writes; tensors have whole bytes, so that none is left alone. */
    private static WriteAccess bits(int number, MemoryWrite write, String to, String value, Optional<String> there) {
        if (write.type().elements() % Byte.SIZE != 0) {
            throw new IllegalStateException(write.name() + " does not fill its last byte");
        }
        String eight = "y" + number;
        String condition = there.map(each -> " && " + each).orElse("");
        String store = to + "[i / 8] = static_cast<u8>(" + eight + ");\n";
        return new WriteAccess(
                "u32 " + eight + " = 0;\n",
                eight + " |= static_cast<u32>(" + value + ") << l;\n",
                "static_assert(V == 8 || V == 1, \"a byte has eight bits\");\nif (V == 8" + condition + ") {\n" + store
                        + "}\n");
    }
}
