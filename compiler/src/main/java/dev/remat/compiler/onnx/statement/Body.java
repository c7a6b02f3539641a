package dev.remat.compiler.onnx.statement;

import dev.remat.compiler.onnx.read.OnnxTensor;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Statements of a model as they come, and what they declare. */
public final class Body {
    /** Numbers that are written in the text, rather than kept in a buffer. */
    private static final int MOST_LISTED = 16;

    private final Names names = new Names();
    private final Function<OnnxTensor, MemorySegment> bytes;
    private final boolean ownsWeights;
    private final List<Statement> statements = new ArrayList<>();
    private final SequencedMap<String, Declaration> declarations = new LinkedHashMap<>();
    private final List<WrittenWeight> weights = new ArrayList<>();
    private final SequencedMap<String, Spelling> spelled = new LinkedHashMap<>();
    /** Buffers of known numbers, of which those that are the same are one. */
    private final SequencedMap<Constant, Spelling> listed = new LinkedHashMap<>();

    private final SequencedSet<String> owners = new LinkedHashSet<>();
    private final SequencedSet<String> unnamed = new LinkedHashSet<>();
    private final SequencedSet<String> buffers = new LinkedHashSet<>();
    private String path = "";
    private String hint = "x";

    /** @param bytes of a tensor of the file */
    public Body(Function<OnnxTensor, MemorySegment> bytes) {
        this(bytes, false);
    }

    /** @param ownsWeights whether weights that no call owns stay those of their modules, {@code mix.weight} of mix */
    public Body(Function<OnnxTensor, MemorySegment> bytes, boolean ownsWeights) {
        this.bytes = bytes;
        this.ownsWeights = ownsWeights;
    }

    public Names names() {
        return names;
    }

    public List<Statement> statements() {
        return statements;
    }

    public SequencedMap<String, Declaration> declarations() {
        return declarations;
    }

    public List<WrittenWeight> weights() {
        return weights;
    }

    /**
     * What the statements that follow belong to.
     *
     * @param module path of the module, with dots
     * @param name that values between them are called like
     */
    public void enter(String module, String name) {
        path = module;
        hint = name;
    }

    /** Where the next statement will stand; what is written after this can be taken back. */
    public int mark() {
        return statements.size();
    }

    /** Takes back what has been written since. */
    public void undo(int mark) {
        statements.subList(mark, statements.size()).clear();
    }

    /** Binds a value to a name of its own, unless it is a name already or a constant. */
    public Tensor bind(Tensor value) {
        return value.spelling().isEmpty() || isName(value.spelling().get()) ? value : bindTo(names.fresh(hint), value);
    }

    /** Binds a value to a name that is taken for it. */
    public Tensor bindTo(String name, Tensor value) {
        statements.add(new Statement(List.of(name), spell(value), path, false));
        return new Tensor(value.type(), Optional.of(Spelling.name(name)), value.constant(), value.stored());
    }

    /** Binds the elements of a tuple. */
    public List<Tensor> bindTuple(Spelling tuple, List<TensorType> types) {
        List<String> bound = types.stream().map(_ -> names.fresh(hint)).toList();
        statements.add(new Statement(bound, tuple, path, false));
        List<Tensor> elements = new ArrayList<>();
        for (int i = 0; i < bound.size(); i++) {
            elements.add(Tensor.of(types.get(i), Spelling.name(bound.get(i))));
        }
        return elements;
    }

    private static boolean isName(Spelling spelling) {
        return spelling.reads().size() == 1 && spelling.reads().getFirst().equals(spelling.text());
    }

    /** The numbers of a weight, if they are few enough to be taken apart. */
    public Optional<Constant> numbers(OnnxTensor tensor) {
        return ReadNumbers.run(tensor, bytes);
    }

    /** The type that a model has for a weight; empty if it has none. */
    public static Optional<DType> dtype(OnnxTensor tensor) {
        return ReadNumbers.dtype(tensor.type());
    }

    /** All numbers of a weight, however many they are. */
    public Constant allNumbers(OnnxTensor tensor) {
        return ReadNumbers.all(tensor, bytes);
    }

    /** How a value is written; one that nothing has written so far becomes a literal, a parameter or a buffer. */
    public Spelling spell(Tensor value) {
        if (value.spelling().isPresent()) {
            return value.spelling().get();
        }
        return value.stored()
                .map(tensor -> spelled.computeIfAbsent(
                        tensor.name(), name -> declare(name, value.type(), isTrained(value), value)))
                .orElseGet(() -> constant(value));
    }

    /** A weight that is read as a buffer: it is kept and saved, and never trained. */
    public Tensor buffer(Tensor value) {
        return value.stored()
                .map(tensor -> Tensor.of(
                        value.type(),
                        spelled.computeIfAbsent(tensor.name(), name -> declare(name, value.type(), false, value))))
                .orElse(value);
    }

    /** How a weight of the file is written that something has written so far. */
    public Optional<Spelling> written(Tensor weight) {
        return weight.stored().map(tensor -> spelled.get(tensor.name()));
    }

    /** Whether others can read weights of a call that has a name: it is plain, and no value has it. */
    public boolean mayShare(String owner) {
        return Names.isPlain(owner) && names.isFree(owner) && !owners.contains(owner);
    }

    /** Lets others read the weight that a call owns. */
    public void share(Tensor weight, String owner) {
        names.fresh(owner);
        weight.stored()
                .ifPresent(tensor ->
                        spelled.put(tensor.name(), new Spelling(owner + ".weight", Spelling.ATOM, List.of())));
    }

    private boolean isTrained(Tensor value) {
        return value.dtype().isFloat()
                && value.stored()
                        .filter(tensor -> isMade(tensor.name())
                                || tensor.name().endsWith("inv_freq")
                                || ReadNumbers.hides(tensor, bytes))
                        .isEmpty();
    }

    /** Whether a tensor hides scores: no parameter is infinite, or nearly so. */
    public boolean hides(OnnxTensor tensor) {
        return ReadNumbers.hides(tensor, bytes);
    }

    /** Whether an exporter has calculated a tensor: parameters of modules have no paths of nodes for names. */
    public static boolean isMade(String name) {
        return name.startsWith("/");
    }

    private Spelling constant(Tensor value) {
        Constant constant = value.constant().orElseThrow();
        if (constant.size() == 1 && constant.shape().isEmpty() || constant.isUniform()) {
            return Literals.full(constant.shape(), constant);
        }
        if (value.formula().isPresent()) {
            return value.formula().get();
        }
        if (constant.size() <= MOST_LISTED && constant.size() > 0 || !constant.isNumeric()) {
            return Literals.tensor(constant);
        }
        return Literals.sequence(constant)
                .orElseGet(() ->
                        listed.computeIfAbsent(constant, _ -> declare(hint + "_values", value.type(), false, value)));
    }

    private Spelling declare(String wish, TensorType type, boolean isTrained, Tensor value) {
        String name = names.fresh(wish);
        Declaration declaration = new Declaration(name, type, isTrained);
        Optional<String> ofModule = value.stored()
                .map(OnnxTensor::name)
                .filter(given -> ownsWeights && ModuleWeight.isOne(given) && owners.add(given));
        if (ofModule.isPresent()) {
            statements.add(
                    new Statement(List.of(name), ModuleWeight.spelling(declaration, ofModule.get()), path, false));
        } else {
            declarations.put(name, declaration);
        }
        String stored = ofModule.orElse(name);
        if (!isTrained) {
            buffers.add(stored);
        }
        List<Long> shape = type.shape().dims().stream().map(Dim::value).toList();
        boolean asStored = value.stored()
                .filter(tensor -> tensor.type().dtype().isPresent())
                .isPresent();
        weights.add(new WrittenWeight(
                stored,
                type.dtype(),
                shape,
                asStored ? value.stored() : Optional.empty(),
                new WrittenWeight.Layout.Same(),
                asStored ? Optional.empty() : Optional.of(numbersOf(value))));
        return Spelling.name(name);
    }

    private Constant numbersOf(Tensor value) {
        return value.constant().orElseGet(() -> ReadNumbers.all(value.stored().orElseThrow(), bytes));
    }

    /** Binds what a call returns that owns weights: values, and values in a tuple of their own. */
    public List<Tensor> bindNested(Spelling call, List<TensorType> types) {
        List<Tensor> bound = bindTuple(call, types);
        statements.set(statements.size() - 1, statements.getLast().nested());
        return bound;
    }

    /**
     * Gives a call's own parameter its numbers: parts of a weight, one after another.
     *
     * @param owner name of the call
     */
    public void own(String owner, String parameter, List<Long> shape, Tensor from, List<WrittenWeight.Range> parts) {
        String name = owner + "." + parameter;
        if (from.stored().isPresent()) {
            weights.add(new WrittenWeight(
                    name, from.dtype(), shape, from.stored(), new WrittenWeight.Layout.Parts(parts), Optional.empty()));
            return;
        }
        List<Integer> places = new ArrayList<>();
        parts.forEach(
                part -> IntStream.range((int) part.from(), (int) part.to()).forEach(places::add));
        weights.add(new WrittenWeight(
                name,
                from.dtype(),
                shape,
                Optional.empty(),
                new WrittenWeight.Layout.Same(),
                Optional.of(from.constant().orElseThrow().picked(shape, places))));
    }

    /** Whether a weight is trained. */
    public boolean isTrained(WrittenWeight weight) {
        return !buffers.contains(weight.name());
    }

    /** Adds a parameter that a call in the text owns. */
    public void own(WrittenWeight weight) {
        weights.add(weight);
    }

    /** Names of calls that follow from no module of the file. */
    public SequencedSet<String> unnamed() {
        return unnamed;
    }

    /** The same as {@link #owner}, of a call whose module the file does not say. */
    public String unnamedOwner(String wish) {
        String name = owner(wish);
        unnamed.add(name);
        return name;
    }

    /** Gives weights of calls their names after the calls have got others. */
    public void renameOwners(SequencedMap<String, String> renamed) {
        weights.replaceAll(weight -> {
            int dot = weight.name().lastIndexOf('.');
            String owner = dot < 0 ? "" : weight.name().substring(0, dot);
            return renamed.containsKey(owner)
                    ? weight.named(renamed.get(owner) + weight.name().substring(dot))
                    : weight;
        });
    }

    /** A free name for a call that owns weights, which resembles the wish. Values may have the same. */
    public String owner(String wish) {
        String name = wish;
        for (int i = 1; !owners.add(name); i++) {
            name = wish + "_" + i;
        }
        return name;
    }

    /** A parameter whose numbers were calculated. */
    public Tensor parameter(String wish, Constant values) {
        String name = names.fresh(wish);
        Tensor tensor = Tensor.of(values);
        declarations.put(name, new Declaration(name, tensor.type(), true));
        weights.add(new WrittenWeight(
                name,
                values.dtype(),
                values.shape(),
                Optional.empty(),
                new WrittenWeight.Layout.Same(),
                Optional.of(values)));
        return Tensor.of(tensor.type(), Spelling.name(name));
    }

    /** Leaves out what nothing reads that is wanted. */
    public void keep(List<String> wanted) {
        SequencedSet<String> read = new LinkedHashSet<>(wanted);
        List<Statement> kept = new ArrayList<>();
        for (Statement statement : statements.reversed()) {
            List<String> bound = statement.names().stream()
                    .map(name -> read.contains(name) ? name : "_")
                    .toList();
            if (bound.stream().anyMatch(name -> !name.equals("_"))) {
                kept.addFirst(statement.binding(bound));
                read.addAll(statement.value().reads());
            }
        }
        statements.clear();
        statements.addAll(kept);
        declarations.keySet().removeIf(name -> !read.contains(name));
        weights.removeIf(weight ->
                !read.contains(weight.name()) && kept.stream().noneMatch(statement -> statement.owns(weight.name())));
    }
}
