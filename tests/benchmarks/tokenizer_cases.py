#!/usr/bin/env python3
"""Writes small tokenizers of each kind, and what texts become with them, for the tests of tokenizers.

The rules are those that the published tokenizers document, written down once more in the plainest way: words are found by hand-made
scanners instead of expressions, pairs by looking through the whole word for the one that was learned first. Nothing is shared
with the implementation under test. Needs nothing but Python's library.

    tests/benchmarks/tokenizer_cases.py runtime/src/test/resources/dev/remat/runtime/text
"""

import collections
import json
import pathlib
import random
import sys
import unicodedata

CORPUS = """
the quick brown fox jumps over the lazy dog and then the dog sleeps while the fox is running through the thin thicket
we've seen that they're here, isn't it? I'd say he'll come; she's "there" (or not): it's 12 or 2024 or 365 days!
training a model within a memory budget keeps some values and computes others again, in the order that costs least
def attention(query, key, value):
    return softmax(query @ key.transpose(-1, -2) / 8.0) @ value

        if x == 10:
            print("ten", x)
naïve café crème brûlée über straße Ελλάδα ένας άνθρωπος привет мир мы были здесь 你好 世界 我们 在 这里 日本語 です 한국어
state of the art tokenization of unbelievable reunification retraining trainers trained trains the then there these those
"""

SPACES = set("\t\n\x0b\x0c\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | {chr(c) for c in range(0x2000, 0x200b)}
CONTRACTIONS = ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d")
MARK = "\u2581"


def letter(c):
    return unicodedata.category(c)[0] == "L"


def number(c):
    return unicodedata.category(c)[0] == "N"


def space(c):
    return c in SPACES


def other(c):
    return not letter(c) and not number(c) and not space(c)


def run(text, at, test, most=None):
    end = at
    while end < len(text) and test(text[end]) and (most is None or end - at < most):
        end += 1
    return end


def spaces(text, at):
    """White space but for the last before a word; all of it if that is one."""
    end = run(text, at, space)
    return end - 1 if end < len(text) and end - at > 1 else end


def gpt2_word(text, at):
    for short in CONTRACTIONS:
        if text.startswith(short, at):
            return at + len(short)
    begin = at + 1 if text[at] == " " else at
    for test in letter, number, other:
        end = run(text, begin, test)
        if end > begin:
            return end
    return spaces(text, at)


def newer_word(digits):
    def word(text, at):
        for short in CONTRACTIONS:
            if "".join(c.upper().lower() for c in text[at:at + len(short)]) == short:
                return at + len(short)
        c = text[at]
        if letter(c):
            return run(text, at, letter)
        if c not in "\r\n" and not number(c) and run(text, at + 1, letter) > at + 1:
            return run(text, at + 1, letter)
        if number(c):
            return run(text, at, number, digits)
        begin = at + 1 if c == " " else at
        end = run(text, begin, other)
        if end > begin:
            return run(text, end, lambda each: each in "\r\n")
        end = run(text, at, space)
        lines = [i for i in range(at, end) if text[i] in "\r\n"]
        return lines[-1] + 1 if lines else spaces(text, at)
    return word


def words(text, word):
    found = []
    at = 0
    while at < len(text):
        end = word(text, at)
        found.append(text[at:end])
        at = end
    return found


def byte_letters():
    visible = [*range(0x21, 0x7f), *range(0xa1, 0xad), *range(0xae, 0x100)]
    letters = {b: chr(b) for b in visible}
    for b in range(256):
        if b not in letters:
            letters[b] = chr(256 + len(letters) - len(visible))
    return letters


LETTERS = byte_letters()
UNITS = {c: b for b, c in LETTERS.items()}


def in_bytes(text):
    return "".join(LETTERS[b] for b in text.encode())


def join(pieces, ranks):
    """The pair that was learned first, the left one of equal ones, until there is none."""
    pieces = list(pieces)
    while True:
        known = [(ranks[pair], i) for i, pair in enumerate(zip(pieces, pieces[1:])) if pair in ranks]
        if not known:
            return pieces
        _, i = min(known)
        pieces[i:i + 2] = [pieces[i] + pieces[i + 1]]


def learn(all_words, count):
    counts = collections.Counter(tuple(word) for word in all_words)
    merges = []
    for _ in range(count):
        pairs = collections.Counter()
        for word, times in counts.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += times
        if not pairs:
            break
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(best)
        renewed = collections.Counter()
        for word, times in counts.items():
            renewed[tuple(join(word, {best: 0}))] += times
        counts = renewed
    return merges


def added(number, content, special=True, lstrip=False, rstrip=False, single_word=False, normalized=False):
    return {"id": number, "content": content, "single_word": single_word, "lstrip": lstrip, "rstrip": rstrip,
            "normalized": normalized, "special": special}


def split_added(text, tokens):
    """Parts of a text: strings, and added tokens. Of two that begin at one place the longer."""
    parts = []
    begin = at = 0
    while at < len(text):
        here = [t for t in tokens if text.startswith(t["content"], at)]
        if not here:
            at += 1
            continue
        token = max(here, key=lambda t: len(t["content"]))
        end = at + len(token["content"])
        word = lambda c: c.isalnum() or c == "_" or unicodedata.category(c)[0] == "M"
        if token["single_word"] and (at > 0 and word(text[at - 1]) or end < len(text) and word(text[end])):
            at = end
            continue
        first = at
        while token["lstrip"] and first > begin and space(text[first - 1]):
            first -= 1
        while token["rstrip"] and end < len(text) and space(text[end]):
            end += 1
        if first > begin:
            parts.append((text[begin:first], begin == 0))
        parts.append(token)
        begin = at = end
    if begin < len(text):
        parts.append((text[begin:], begin == 0))
    return parts


class Kind:
    """A tokenizer.json and its rules. Subclasses say what becomes of a part without added tokens, and back."""

    def encode(self, text):
        tokens = []
        for part in split_added(text, self.file["added_tokens"]):
            tokens += [part["id"]] if isinstance(part, dict) else self.part(*part)
        return tokens

    def texts(self, tokens):
        names = {number: text for text, number in self.vocab.items()}
        names.update({t["id"]: t["content"] for t in self.file["added_tokens"]})
        return [names[token] for token in tokens]


class Bytes(Kind):
    def __init__(self, word, file, contents, normalize=lambda text: text, before="", whole=False):
        self.word, self.normalize, self.before, self.whole = word, normalize, before, whole
        learned = learn([in_bytes(w) for w in words(CORPUS, word)], 400)
        self.ranks = {pair: rank for rank, pair in enumerate(learned)}
        alphabet = [LETTERS[b] for b in sorted(LETTERS)]
        self.vocab = {text: i for i, text in enumerate([*alphabet, *("".join(pair) for pair in learned)])}
        if whole:
            # A word that no pairs lead to, and that is a token all the same.
            self.vocab[in_bytes(" unbelievable")] = len(self.vocab)
        tokens = [added(len(self.vocab) + i, **content) for i, content in enumerate(contents)]
        self.file = {"version": "1.0", "added_tokens": tokens, **file,
                     "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
                     "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "",
                               "end_of_word_suffix": "", "fuse_unk": False, "byte_fallback": False,
                               "ignore_merges": whole, "vocab": self.vocab,
                               "merges": [" ".join(pair) for pair in learned]}}

    def part(self, text, first):
        text = self.normalize(text)
        text = text if text.startswith(self.before) else self.before + text
        tokens = []
        for word in words(text, self.word):
            written = in_bytes(word)
            pieces = [written] if self.whole and written in self.vocab else join(written, self.ranks)
            tokens += [self.vocab[piece] for piece in pieces]
        return tokens

    def decode(self, tokens):
        units = b"".join(bytes(UNITS[c] for c in text) if all(c in UNITS for c in text) else text.encode()
                         for text in self.texts(tokens))
        return units.decode("utf-8", "replace")


class Pieces(Kind):
    def __init__(self, lower, accents):
        self.lower, self.accents = lower, accents
        specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
        letters = sorted({c for c in self.clean(CORPUS) if not space(c)})
        learned = ["".join(pair) for pair in learn(self.clean(CORPUS).split(), 250)]
        vocab = [*specials, *letters, *("##" + c for c in letters if c.isalnum()), *learned, *("##" + w for w in learned[::2])]
        self.vocab = {}
        for text in vocab:
            self.vocab.setdefault(text, len(self.vocab))
        del self.vocab["z"]
        self.file = {"version": "1.0",
                     "added_tokens": [added(self.vocab[s], s) for s in specials],
                     "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                                    "strip_accents": accents, "lowercase": lower},
                     "pre_tokenizer": {"type": "BertPreTokenizer"},
                     "post_processor": {"type": "TemplateProcessing",
                                        "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                                                   {"Sequence": {"id": "A", "type_id": 0}},
                                                   {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
                                        "pair": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                                                 {"Sequence": {"id": "A", "type_id": 0}},
                                                 {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
                                                 {"Sequence": {"id": "B", "type_id": 1}},
                                                 {"SpecialToken": {"id": "[SEP]", "type_id": 1}}],
                                        "special_tokens": {s: {"id": s, "ids": [self.vocab[s]], "tokens": [s]}
                                                           for s in ("[CLS]", "[SEP]")}},
                     "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
                     "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                               "max_input_chars_per_word": 20, "vocab": self.vocab}}

    def clean(self, text):
        cleaned = ""
        for c in text:
            if c in "\t\n\r":
                cleaned += " "
            elif c == "\ufffd" or unicodedata.category(c)[0] == "C":
                continue
            elif space(c):
                cleaned += " "
            elif (0x4e00 <= ord(c) <= 0x9fff or 0x3400 <= ord(c) <= 0x4dbf or 0x20000 <= ord(c) <= 0x2a6df
                  or 0xf900 <= ord(c) <= 0xfaff):
                cleaned += " " + c + " "
            else:
                cleaned += c
        if self.accents or self.accents is None and self.lower:
            cleaned = "".join(c for c in unicodedata.normalize("NFD", cleaned) if unicodedata.category(c) != "Mn")
        return "".join(c.lower() for c in cleaned) if self.lower else cleaned

    def part(self, text, first):
        found = []
        word = ""
        for c in [*self.clean(text), " "]:
            mark = c in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~" or unicodedata.category(c)[0] == "P"
            if mark or space(c):
                found += [word] if word else []
                word = ""
            else:
                word += c
            found += [c] if mark else []
        return [token for word in found for token in self.pieces(word)]

    def pieces(self, word):
        unknown = [self.vocab["[UNK]"]]
        tokens = []
        rest = word if len(word) <= 20 else "\0"
        while rest:
            before = "##" if tokens else ""
            longest = next((n for n in range(len(rest), 0, -1) if before + rest[:n] in self.vocab), None)
            if longest is None:
                return unknown
            tokens.append(self.vocab[before + rest[:longest]])
            rest = rest[longest:]
        return tokens

    def decode(self, tokens):
        text = ""
        for i, piece in enumerate(self.texts(tokens)):
            piece = piece if i == 0 else piece[2:] if piece.startswith("##") else " " + piece
            for dirty, clean in ((" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"),
                                 (" 'm", "'m"), (" do not", " don't"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re")):
                piece = piece.replace(dirty, clean)
            text += piece
        return text


class Marked(Kind):
    """Spaces are marks, and characters that are no tokens are bytes or unknown."""

    def __init__(self, fallback, fuse, metaspace=None):
        self.fallback, self.fuse, self.metaspace = fallback, fuse, metaspace
        specials = ["<unk>", "<s>", "</s>"]
        marked = CORPUS.replace(" ", MARK).strip("\n").split("\n")
        parts = [part for line in marked for part in (MARK + line).replace(MARK, "\n" + MARK).split("\n") if part]
        learned = [(MARK, MARK), (MARK + MARK, MARK + MARK), *learn(parts, 350)]
        learned = list(dict.fromkeys(learned))
        letters = sorted({c for part in parts for c in part} - set("ü你语한"))
        learned = [(a, b) for a, b in learned if not set(a + b) & set("ü你语한")]
        vocab = [*specials, *(f"<0x{b:02X}>" for b in range(256) if fallback), *letters, *("".join(p) for p in learned)]
        self.vocab = {}
        for text in vocab:
            self.vocab.setdefault(text, len(self.vocab))
        self.ranks = {pair: rank for rank, pair in enumerate(learned)}
        pairs = [list(pair) for pair in learned]
        self.file = {"version": "1.0",
                     "added_tokens": [added(i, s) for i, s in enumerate(specials)],
                     "normalizer": None if metaspace else {"type": "Sequence", "normalizers": [
                         {"type": "Prepend", "prepend": MARK},
                         {"type": "Replace", "pattern": {"String": " "}, "content": MARK}]},
                     "pre_tokenizer": {"type": "Metaspace", "replacement": MARK, "prepend_scheme": metaspace["scheme"],
                                       "split": metaspace["split"]} if metaspace else None,
                     "post_processor": {"type": "TemplateProcessing",
                                        "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}},
                                                   {"Sequence": {"id": "A", "type_id": 0}}],
                                        "pair": [{"SpecialToken": {"id": "<s>", "type_id": 0}},
                                                 {"Sequence": {"id": "A", "type_id": 0}},
                                                 {"SpecialToken": {"id": "<s>", "type_id": 1}},
                                                 {"Sequence": {"id": "B", "type_id": 1}}],
                                        "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}},
                     "decoder": {"type": "Metaspace", "replacement": MARK, "prepend_scheme": metaspace["scheme"],
                                 "split": metaspace["split"]} if metaspace and not fallback else
                     {"type": "Sequence", "decoders": [
                         {"type": "Replace", "pattern": {"String": MARK}, "content": " "},
                         {"type": "ByteFallback"}, {"type": "Fuse"},
                         {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
                     "model": {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
                               "end_of_word_suffix": None, "fuse_unk": fuse, "byte_fallback": fallback,
                               "vocab": self.vocab, "merges": pairs}}

    def part(self, text, first):
        marked = text.replace(" ", MARK)
        if not self.metaspace:
            found = [MARK + marked]
        else:
            scheme = self.metaspace["scheme"]
            if (scheme == "always" or scheme == "first" and first) and not marked.startswith(MARK):
                marked = MARK + marked
            found = [marked]
            if self.metaspace["split"]:
                begins = [i for i, c in enumerate(marked) if i == 0 or c == MARK]
                found = [marked[begin:end] for begin, end in zip(begins, [*begins[1:], len(marked)])]
        return [self.vocab[piece] for word in found for piece in join(self.letters(word), self.ranks)]

    def letters(self, word):
        letters = []
        before = None
        for c in word:
            if c in self.vocab:
                letters.append(c)
            elif self.fallback:
                letters += [f"<0x{b:02X}>" for b in c.encode()]
            elif not (self.fuse and before == "<unk>"):
                letters.append("<unk>")
            before = "<unk>" if c not in self.vocab else c
        return letters

    def decode(self, tokens):
        texts = self.texts(tokens)
        if not self.fallback:
            first = "" if self.metaspace["scheme"] != "never" else " "
            return "".join(t.replace(MARK, first if i == 0 else " ") for i, t in enumerate(texts))
        text = ""
        units = b""
        for each in [*texts, None]:
            if each and len(each) == 6 and each.startswith("<0x"):
                units += bytes([int(each[3:5], 16)])
                continue
            try:
                text += units.decode()
            except UnicodeDecodeError:
                text += "\ufffd" * len(units)
            units = b""
            text += (each or "").replace(MARK, " ")
        return text[1:] if text.startswith(" ") else text


def byte_level(before, regex):
    return {"type": "ByteLevel", "add_prefix_space": before, "trim_offsets": False, "use_regex": regex}


def by_expression(expression):
    return {"type": "Sequence", "pretokenizers": [
        {"type": "Split", "pattern": {"Regex": expression}, "behavior": "Isolated", "invert": False},
        byte_level(False, False)]}


def newer(digits):
    return (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}" + digits
            + r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")


KINDS = {
    "gpt2": lambda: Bytes(gpt2_word, {"normalizer": None, "pre_tokenizer": byte_level(False, True),
                                      "post_processor": byte_level(True, True)}, [{"content": "<|endoftext|>"}]),
    "roberta": lambda: Bytes(
        gpt2_word,
        {"normalizer": None, "pre_tokenizer": byte_level(True, True),
         "post_processor": {"type": "RobertaProcessing", "sep": ["</s>", 648], "cls": ["<s>", 646],
                            "trim_offsets": True, "add_prefix_space": True}},
        [{"content": "<s>"}, {"content": "<pad>"}, {"content": "</s>"}, {"content": "<mask>", "lstrip": True},
         {"content": "model", "special": False, "single_word": True, "rstrip": True}],
        before=" "),
    "llama3": lambda: Bytes(
        newer_word(3),
        {"normalizer": None, "pre_tokenizer": by_expression(newer("{1,3}")),
         "post_processor": {"type": "Sequence", "processors": [
             byte_level(True, True),
             {"type": "TemplateProcessing",
              "single": [{"SpecialToken": {"id": "<|begin_of_text|>", "type_id": 0}},
                         {"Sequence": {"id": "A", "type_id": 0}}],
              "pair": [{"SpecialToken": {"id": "<|begin_of_text|>", "type_id": 0}},
                       {"Sequence": {"id": "A", "type_id": 0}},
                       {"SpecialToken": {"id": "<|begin_of_text|>", "type_id": 1}},
                       {"Sequence": {"id": "B", "type_id": 1}}],
              "special_tokens": {"<|begin_of_text|>": {"id": "<|begin_of_text|>", "ids": [644],
                                                       "tokens": ["<|begin_of_text|>"]}}}]}},
        [{"content": "<|begin_of_text|>"}, {"content": "<|end_of_text|>"}, {"content": "<|eot_id|>"}],
        whole=True),
    "qwen2": lambda: Bytes(
        newer_word(1),
        {"normalizer": {"type": "NFC"}, "pre_tokenizer": by_expression(newer("")), "post_processor": byte_level(False, False)},
        [{"content": "<|endoftext|>"}, {"content": "<|im_start|>"}, {"content": "<|im_end|>"},
         {"content": "<tool>", "special": False}, {"content": "<tool><", "special": False}],
        normalize=lambda text: unicodedata.normalize("NFC", text)),
    "bert": lambda: Pieces(True, None),
    "bert-cased": lambda: Pieces(False, None),
    "llama2": lambda: Marked(True, True),
    "mistral": lambda: Marked(True, True, {"scheme": "first", "split": False}),
    "unknown": lambda: Marked(False, True, {"scheme": "always", "split": True}),
}

ODD = ["é", "e\u0301", "o\u0308\u0323", "ñ", "ß", "ﬁ", "İ", "Σς", "Ǆ", "ſ", "'ſ", "Å", "\u212b", "½", "²", "Ⅷ", "٣", "你", "好世", "語",
       "𠀀", "豈", "한국", "\u1112\u1161\u11ab", "ไทย", "हिन्दी", "ᏣᎳᎩ", "עברית", "مرحبا", "😀", "👩‍👩‍👧", "🇩🇪", "❤️", "…", "—", "“q”",
       "«", "、", "。", "\u0301", "\u200b", "\u200d", "\ufeff", "\ufffd", "\u00ad", "\x07", "\x00", "\x7f", "€", "$", "^", "`", "|", "~",
       "_", "a_b", "𝔘", "ẞ", MARK, "<0x41>", "##s"]
BLANKS = [" ", " ", " ", "  ", "   ", "\n", "\n\n", "\r\n", " \n", "\n ", "\t", "\xa0", "\u3000", "\u2028", "\x0b", "        ", " \t "]
SHORT = ["'s", "'S", "'ll", "'LL", "'Re", "n't", "'", "''", "don't", "I'VE", "1", "12", "123", "1234567", "3.14", "1,000", "x1", "...", "?!",
         "!!", "():", "==", "->", "unbelievable", "Zebra", "tokenizations", "a" * 21, "model", "models", "do not", "UPPER", "CamelCase"]
ADDED = ["<|endoftext|>", "<s>", "</s>", "<mask>", "<unk>", "[CLS]", "[MASK]", "[UNK]", "<|begin_of_text|>", "<|eot_id|>", "<|im_start|>",
         "<tool>", "<tool><", "<|im", "<pad>"]


def text(chance):
    plain = CORPUS.split()
    parts = []
    for _ in range(chance.randrange(1, 14)):
        pool = chance.choices([plain, ODD, BLANKS, SHORT, ADDED], [5, 4, 4, 3, 1])[0]
        parts.append(chance.choice(pool))
        if chance.random() < 0.5:
            parts.append(" ")
    return "".join(parts)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(32)
    cases = []
    for name, make in KINDS.items():
        kind = make()
        (folder / f"{name}.json").write_text(json.dumps(kind.file, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")
        texts = ["", " ", "\n", "hello", " hello", "Hello, World!", *(line for line in CORPUS.split("\n") if line)]
        texts += [text(chance) for _ in range(112)]
        for each in texts:
            tokens = kind.encode(each)
            cases.append({"kind": name, "text": each, "ids": tokens, "decoded": kind.decode(tokens)})
    with open(folder / "cases.jsonl", "w", encoding="utf-8") as out:
        out.writelines(json.dumps(case, separators=(",", ":")) + "\n" for case in cases)
    print(len(cases), "cases")


if __name__ == "__main__":
    main()
