package dev.remat.runtime.cpu.update;

import dev.remat.ir.DType;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.ElementwiseUpdate;
import dev.remat.ir.op.Select;
import dev.remat.ir.op.Unary;
import dev.remat.ir.op.UpdateProgram;
import dev.remat.ir.op.UpdateProgram.Step;
import dev.remat.ir.op.UpdateProgram.Term;
import dev.remat.runtime.cpu.elementwise.DoubleFunctions;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram.Instruction;
import dev.remat.runtime.cpu.elementwise.Primitive;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An update's program as one loop of bytecode, which the JIT makes as fast as if it were written by hand: an
 * interpreter would bring the result of every step to memory and back.
 */
abstract class UpdateLoop {
    private static final Map<Key, UpdateLoop> KNOWN = new ConcurrentHashMap<>();
    private static final ClassDesc SUPER = ClassDesc.of(UpdateLoop.class.getName());
    private static final ClassDesc MATH = ClassDesc.of(Math.class.getName());
    private static final ClassDesc FLOATS = ConstantDescs.CD_float.arrayType();
    private static final ClassDesc DOUBLES = ConstantDescs.CD_double.arrayType();
    private static final MethodTypeDesc RUN = MethodTypeDesc.of(
            ConstantDescs.CD_void, FLOATS.arrayType(), DOUBLES.arrayType(), DOUBLES, ConstantDescs.CD_int);
    private static final List<Instruction> UNARY = Arrays.stream(Unary.Kind.values())
            .map(kind -> new Instruction(Primitive.valueOf(kind.name()), DType.F64, List.of(0), 0, 0))
            .toList();
    private static final List<Primitive> BINARY = Arrays.stream(Binary.Kind.values())
            .map(kind -> Primitive.valueOf(kind.name()))
            .toList();
    private static final List<Primitive> COMPARE = Arrays.stream(Compare.Kind.values())
            .map(kind -> Primitive.valueOf(kind.name()))
            .toList();

    /** What an operand is. */
    enum Form {
        FLOATS,
        DOUBLES,
        SCALAR;

        /** As which elements of a floating dtype are staged. */
        static Form of(DType type) {
            return type == DType.F64 ? DOUBLES : FLOATS;
        }
    }

    private record Key(UpdateProgram program, List<Form> operands) {}

    /**
     * Computes {@code n} elements in their place, in doubles.
     *
     * @param floats elements by operands that are such
     * @param doubles likewise
     * @param scalars by operands
     */
    abstract void run(float[][] floats, double[][] doubles, double[] scalars, int n);

    static UpdateLoop of(ElementwiseUpdate op, List<Form> operands) {
        return KNOWN.computeIfAbsent(new Key(op.program(), List.copyOf(operands)), UpdateLoop::define);
    }

    private static UpdateLoop define(Key key) {
        byte[] bytes = ClassFile.of()
                .build(
                        ClassDesc.of(SUPER.packageName(), "WrittenLoop"),
                        made -> made.withSuperclass(SUPER)
                                .withMethodBody(
                                        ConstantDescs.INIT_NAME,
                                        ConstantDescs.MTD_void,
                                        0,
                                        code -> code.aload(0)
                                                .invokespecial(SUPER, ConstantDescs.INIT_NAME, ConstantDescs.MTD_void)
                                                .return_())
                                .withMethodBody("run", RUN, 0, code -> new Writer(code, key).write()));
        try {
            return (UpdateLoop) MethodHandles.lookup()
                    .defineHiddenClass(bytes, true)
                    .lookupClass()
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no loop for " + key.program, e);
        }
    }

    static double unary(double x, int kind) {
        return DoubleFunctions.unary(UNARY.get(kind), x);
    }

    static double binary(double a, double b, int kind) {
        return DoubleFunctions.binary(BINARY.get(kind), a, b);
    }

    static double compare(double a, double b, int kind) {
        return DoubleFunctions.compare(COMPARE.get(kind), a, b) ? 1 : 0;
    }

    static double where(double condition, double a, double b) {
        return condition != 0 ? a : b;
    }

    /** Writes the method: what is read of an element first, then steps, then what is stored. */
    private static final class Writer {
        private static final int FLOATS = 1;
        private static final int DOUBLES = 2;
        private static final int SCALARS = 3;
        private static final int COUNT = 4;
        private static final int INDEX = 5;

        private final CodeBuilder code;
        private final UpdateProgram program;
        private final List<Form> operands;
        /** Local variables: arrays of tensors, or values of scalars; elements; results of steps. */
        private final int given;

        private final int elements;
        private final int results;

        Writer(CodeBuilder code, Key key) {
            this.code = code;
            this.program = key.program;
            this.operands = key.operands;
            this.given = INDEX + 1;
            this.elements = given + 2 * operands.size();
            this.results = elements + 2 * operands.size();
        }

        void write() {
            for (int operand = 0; operand < operands.size(); operand++) {
                int local = given + 2 * operand;
                switch (operands.get(operand)) {
                    case FLOATS ->
                        code.aload(FLOATS).loadConstant(operand).aaload().astore(local);
                    case DOUBLES ->
                        code.aload(DOUBLES).loadConstant(operand).aaload().astore(local);
                    case SCALAR ->
                        code.aload(SCALARS).loadConstant(operand).daload().dstore(local);
                }
            }
            Label next = code.newLabel();
            Label end = code.newLabel();
            code.iconst_0().istore(INDEX).labelBinding(next);
            code.iload(INDEX).iload(COUNT).if_icmpge(end);
            for (int operand = 0; operand < operands.size(); operand++) {
                Form form = operands.get(operand);
                if (form != Form.SCALAR) {
                    code.aload(given + 2 * operand).iload(INDEX);
                    CodeBuilder element = form == Form.FLOATS ? code.faload().f2d() : code.daload();
                    element.dstore(elements + 2 * operand);
                }
            }
            for (int step = 0; step < program.steps().size(); step++) {
                write(program.steps().get(step));
                code.dstore(results + 2 * step);
            }
            for (int result = 0; result < program.results().size(); result++) {
                int operand = result == 0 ? 0 : ElementwiseUpdate.STATES + result - 1;
                code.aload(given + 2 * operand).iload(INDEX);
                load(program.results().get(result));
                if (operands.get(operand) == Form.FLOATS) {
                    code.d2f().fastore();
                } else {
                    code.dastore();
                }
            }
            code.iinc(INDEX, 1).goto_(next).labelBinding(end).return_();
        }

        private void load(Term term) {
            switch (term) {
                case Term.Real(double value) -> code.loadConstant(value);
                case Term.Result(int step) -> code.dload(results + 2 * step);
                case Term.Operand(int index) ->
                    code.dload((operands.get(index) == Form.SCALAR ? given : elements) + 2 * index);
            }
        }

        private void write(Step step) {
            step.in().forEach(this::load);
            switch (step.op()) {
                case Unary op -> unary(op.kind());
                case Binary op -> binary(op.kind());
                case Compare op -> call(SUPER, "compare", 2, op.kind());
                case Select _ -> call(SUPER, "where", 3);
            }
        }

        private void unary(Unary.Kind kind) {
            switch (kind) {
                case NEG -> code.dneg();
                case SQRT -> call(MATH, "sqrt", 1);
                case ABS -> call(MATH, "abs", 1);
                case SIGN -> call(MATH, "signum", 1);
                case NOT -> code.dneg().dconst_1().dadd();
                default -> call(SUPER, "unary", 1, kind);
            }
        }

        /** Bools are 0 or 1. */
        private void binary(Binary.Kind kind) {
            switch (kind) {
                case ADD -> code.dadd();
                case SUB -> code.dsub();
                case MUL, AND -> code.dmul();
                case DIV -> code.ddiv();
                case MIN -> call(MATH, "min", 2);
                case MAX, OR -> call(MATH, "max", 2);
                default -> call(SUPER, "binary", 2, kind);
            }
        }

        private void call(ClassDesc owner, String name, int arity, Enum<?>... kind) {
            List<ClassDesc> types = new ArrayList<>();
            for (int i = 0; i < arity; i++) {
                types.add(ConstantDescs.CD_double);
            }
            for (Enum<?> each : kind) {
                code.loadConstant(each.ordinal());
                types.add(ConstantDescs.CD_int);
            }
            code.invokestatic(owner, name, MethodTypeDesc.of(ConstantDescs.CD_double, types));
        }
    }
}
