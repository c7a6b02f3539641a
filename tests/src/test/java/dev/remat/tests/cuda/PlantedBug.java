package dev.remat.tests.cuda;

import dev.remat.codegen.cuda.emit.ComposeSource;
import java.util.List;

/**
 * A mistake in the text of the kernels, which a sample must show.
 *
 * @param name of the mistake
 * @param header that has it
 * @param right words of the header, there once
 * @param wrong what stands in their place
 * @param sample name in {@link PlantedSamples}
 */
record PlantedBug(String name, String header, String right, String wrong, String sample) {
    private static final String BARRIER = "        __syncthreads();\n";

    static final List<PlantedBug> ALL = List.of(
            // Barriers, asynchronous waits, warp synchronization, overwriting too early.
            new PlantedBug(
                    "gemm_tensor_without_barrier",
                    "gemm_tensor.cuh",
                    "cp_async_wait<STAGES - 2>();\n" + BARRIER,
                    "cp_async_wait<STAGES - 2>();\n",
                    "tensor product"),
            new PlantedBug(
                    "gemm_tensor_waits_for_one_stage_too_few",
                    "gemm_tensor.cuh",
                    "cp_async_wait<STAGES - 2>",
                    "cp_async_wait<STAGES - 1>",
                    "tensor product"),
            new PlantedBug(
                    "gemm_tensor_drains_without_barrier",
                    "gemm_tensor.cuh",
                    "sums.template stage<V>(staged, pass);\n" + BARRIER,
                    "sums.template stage<V>(staged, pass);\n",
                    "tensor product"),
            new PlantedBug(
                    "gemm_warpgroup_without_barrier",
                    "gemm_warpgroup.cuh",
                    "fence_shared_for_wgmma();\n" + BARRIER,
                    "fence_shared_for_wgmma();\n",
                    "product by groups"),
            new PlantedBug(
                    "gemm_warpgroup_without_fence",
                    "gemm_warpgroup.cuh",
                    "        fence_shared_for_wgmma();\n",
                    "",
                    "product by groups"),
            new PlantedBug(
                    "gemm_warpgroup_fences_behind_the_barrier",
                    "gemm_warpgroup.cuh",
                    "        fence_shared_for_wgmma();\n" + BARRIER,
                    BARRIER + "        fence_shared_for_wgmma();\n",
                    "product by groups"),
            new PlantedBug(
                    "gemm_warpgroup_copies_to_what_is_multiplied",
                    "gemm_warpgroup.cuh",
                    "AHEAD = STAGES - 2;",
                    "AHEAD = STAGES - 1;",
                    "product by groups"),
            new PlantedBug(
                    "gemm_warpgroup_reads_sums_before_they_are_there",
                    "gemm_warpgroup.cuh",
                    "wgmma_wait<0>();",
                    "wgmma_wait<1>();",
                    "product by groups"),
            new PlantedBug(
                    "gemm_warpgroup_does_not_wait_in_its_loop",
                    "gemm_warpgroup.cuh",
                    "        wgmma_wait<1>();\n",
                    "",
                    "product by groups"),
            new PlantedBug(
                    "gemm_warpgroup_lays_pieces_as_in_memory",
                    "gemm_warpgroup.cuh",
                    "(number % 8 ^ row % 8) * 16",
                    "number % 8 * 16",
                    "product by groups"),
            new PlantedBug(
                    "gemm_warpgroup_takes_panels_for_groups_of_rows",
                    "gemm_warpgroup.cuh",
                    "PANEL, EIGHT_ROWS);",
                    "EIGHT_ROWS, PANEL);",
                    "product by groups"),
            new PlantedBug(
                    "gemm_plain_without_barrier",
                    "gemm_plain.cuh",
                    "stageB.store(tileB);\n" + BARRIER,
                    "stageB.store(tileB);\n",
                    "plain product"),
            new PlantedBug(
                    "attention_reads_values_before_they_arrive",
                    "attention_tensor_forward.cuh",
                    "        cp_async_wait<0>();\n" + BARRIER + "        if (key",
                    BARRIER + "        if (key",
                    "attention"),
            new PlantedBug(
                    "attention_ends_its_loop_without_barrier",
                    "attention_tensor_forward.cuh",
                    "cp_async_wait<0>();\n" + BARRIER + "    }",
                    "cp_async_wait<0>();\n    }",
                    "attention"),
            new PlantedBug(
                    "attention_writes_rows_without_syncwarp",
                    "attention_tensor.cuh",
                    "    __syncwarp();\n",
                    "",
                    "attention"),
            new PlantedBug(
                    "attention_gradient_prefetches_over_what_is_read",
                    "attention_tensor_gradient.cuh",
                    "fetch(start + OTHERS, buffer ^ 1);",
                    "fetch(start + OTHERS, buffer);",
                    "attention gradient"),
            new PlantedBug(
                    "sort_ranks_without_syncwarp", "sort.cuh", "own[d];\n        __syncwarp();\n", "own[d];\n", "sort"),
            new PlantedBug(
                    "sort_goes_on_without_syncwarp",
                    "sort.cuh",
                    "lanes_alike(digit, active), active);\n        __syncwarp();\n",
                    "lanes_alike(digit, active), active);\n",
                    "sort"),
            new PlantedBug("transpose_without_barrier", "transpose.cuh", "    __syncthreads();\n", "", "transpose"),
            new PlantedBug("column_fold_without_barrier", "reduce.cuh", BARRIER, "", "column sums"),
            new PlantedBug(
                    "layer_gradient_folds_columns_without_barrier_between",
                    "layer_gradient.cuh",
                    "                __syncthreads();\n",
                    "",
                    "layer gradient"),
            new PlantedBug(
                    "thread_fold_overwrites_what_is_read",
                    "block.cuh",
                    "fold_lanes<Fold, 32>(state);\n" + BARRIER,
                    "fold_lanes<Fold, 32>(state);\n",
                    "long statistics"),
            // Indices, tails, masks, ties.
            new PlantedBug(
                    "attention_of_a_hidden_row",
                    "attention_tensor_forward.cuh",
                    "largest == negative_infinity<float>() ? 0.0f : largest",
                    "largest",
                    "masked attention"),
            new PlantedBug(
                    "attention_gradient_masks_too_few_tiles",
                    "attention_tensor_gradient.cuh",
                    "start + OTHERS - 1 > firstOwn)",
                    "start + OTHERS - 1 > firstOwn + 31)",
                    "attention gradient"),
            new PlantedBug(
                    "transpose_past_the_end",
                    "transpose.cuh",
                    "y + j < rows && x + i < columns",
                    "y + j < rows",
                    "transpose"),
            new PlantedBug(
                    "optimizer_forgets_the_last",
                    "optimizer.cuh",
                    "first < n - groups * V",
                    "first + 1 < n - groups * V",
                    "adam"),
            new PlantedBug(
                    "elementwise_forgets_the_last",
                    "elementwise.cuh",
                    "threadIdx.x; i < n;",
                    "threadIdx.x; i + 1 < n;",
                    "elementwise"),
            new PlantedBug("pad_takes_one_more", "copy.cuh", "at < inside[axis]", "at <= inside[axis]", "pad"),
            new PlantedBug(
                    "convolution_leaves_the_image_sideways",
                    "convolution.cuh",
                    "return row < grid.height && column < grid.width;",
                    "return row < grid.height;",
                    "convolution"),
            new PlantedBug(
                    "layer_gradient_forgets_the_last_rows",
                    "layer_gradient.cuh",
                    "first < rows;",
                    "first + R <= rows;",
                    "layer gradient"),
            new PlantedBug(
                    "product_writes_rows_past_the_end",
                    "gemm.cuh",
                    "there[u] = inside && row < shape.m;",
                    "there[u] = inside;",
                    "tensor product"),
            new PlantedBug(
                    "the_last_maximum_wins",
                    "pooling.cuh",
                    "value > best.value",
                    "value >= best.value",
                    "pool gradient"),
            new PlantedBug(
                    "softmax_reads_a_pack_past_the_end",
                    "softmax.cuh",
                    "if (lane + i * T < held) {\n            const Pack<E, V> pack = load",
                    "if (lane + i * T <= held) {\n            const Pack<E, V> pack = load",
                    "softmax"),
            new PlantedBug(
                    "reduce_reads_a_group_past_the_end",
                    "reduce.cuh",
                    "if (r + u * Y < end) {\n                    from.",
                    "if (r + u * Y <= end) {\n                    from.",
                    "row sums"),
            new PlantedBug(
                    "embedding_takes_a_row_too_many",
                    "embedding.cuh",
                    "row < rows ? table",
                    "row <= rows ? table",
                    "embedding"),
            new PlantedBug(
                    "gather_takes_an_index_too_many",
                    "gather.cuh",
                    "to[at] = index < shape.extent",
                    "to[at] = index <= shape.extent",
                    "gather"),
            new PlantedBug(
                    "a_segment_ends_after_a_thousand",
                    "sort.cuh",
                    "const u32 end = rows.starts[row + 1];",
                    "const u32 all = rows.starts[row + 1];\n"
                            + "    const u32 end = all - begin > 1000 ? begin + 1000 : all;",
                    "long segment"),
            new PlantedBug(
                    "a_piece_begins_with_its_place",
                    "sort.cuh",
                    "first + (PIECE_ROWS - 1) - (first - start - 1) % PIECE_ROWS",
                    "first",
                    "long segment"),
            new PlantedBug(
                    "a_list_forgets_the_last",
                    "tensors.cuh",
                    "for (u64 i = at; i < n; i++)",
                    "for (u64 i = at; i + 1 < n; i++)",
                    "list of tensors"),
            // Accumulation and other numbers.
            new PlantedBug(
                    "gemm_plain_sums_in_bf16",
                    "gemm_plain.cuh",
                    "sums[i][j] = multiply_add(left[i / 4].at[i % 4], right[j / 4].at[j % 4], sums[i][j]);",
                    "sums[i][j] = rounded<bf16>(multiply_add(left[i / 4].at[i % 4], right[j / 4].at[j % 4], "
                            + "sums[i][j]));",
                    "plain product"),
            new PlantedBug(
                    "splits_are_added_in_bf16",
                    "split_k.cuh",
                    "sums[l] += next.at[l];",
                    "sums[l] = rounded<bf16>(sums[l] + next.at[l]);",
                    "split product"),
            new PlantedBug(
                    "loss_sums_in_bf16",
                    "softmax.cuh",
                    "sum = sum + math::exp_of_negative(x[i] - from);",
                    "sum = rounded<bf16>(sum + math::exp_of_negative(x[i] - from));",
                    "loss"),
            new PlantedBug(
                    "statistics_sum_in_bf16",
                    "normalization.cuh",
                    "sum = sum + wide(values[i], v);",
                    "sum = rounded<bf16>(sum + wide(values[i], v));",
                    "statistics"),
            new PlantedBug(
                    "exponential_to_a_part_in_a_million",
                    "math32.cuh",
                    "0.008363773874f, 0.001392692661f}",
                    "0.008363773874f, 0.0012f}",
                    "exponential"),
            new PlantedBug(
                    "reciprocal_without_its_last_step",
                    "math32.cuh",
                    "    return fmaf(fmaf(-x, y, 1.0f), y, y);\n",
                    "    return y;\n",
                    "sigmoid"),
            new PlantedBug("philox_of_nine_rounds", "philox.cuh", "round < 10", "round < 9", "dropout"),
            new PlantedBug(
                    "every_piece_draws_as_the_first",
                    "pieces.cuh",
                    "return static_cast<u64>(__ldg(number));",
                    "return 0;",
                    "dropout of a piece"),
            new PlantedBug(
                    "every_named_piece_draws_as_the_first",
                    "pieces.cuh",
                    "{ return number; }",
                    "{ return 0; }",
                    "dropout of a named piece"),
            new PlantedBug(
                    "eight_words_of_a_piece_as_of_the_whole",
                    "pieces.cuh",
                    "V < 4 ? V : 4;",
                    "V;",
                    "dropout of a piece"),
            // Alignment and shared memory.
            new PlantedBug(
                    "rows_between_packs_are_read_as_packs",
                    "block.cuh",
                    "if constexpr (ALIGNED) {",
                    "if constexpr (true) {",
                    "odd softmax"),
            new PlantedBug(
                    "attention_rows_are_longer_than_their_memory",
                    "attention_tensor.cuh",
                    "PITCH_16 = COLUMNS + 8;",
                    "PITCH_16 = COLUMNS + 16;",
                    "attention gradient"),
            new PlantedBug(
                    "attention_writes_packs_of_columns_that_lie_apart",
                    "attention_tensor.cuh",
                    "if constexpr (ALIGNED) {",
                    "if constexpr (true) {",
                    "turned attention"),
            new PlantedBug(
                    "fragments_come_from_one_bank",
                    "gemm_tensor.cuh",
                    "return row / (8 / PIECES) % PIECES;",
                    "return 0;",
                    "tensor product"));

    /** The text of a header with the mistake, if it is the one that has it. */
    String header(String name) {
        String text = ComposeSource.resource(name);
        if (!name.equals(header)) {
            return text;
        }
        int at = text.indexOf(right);
        if (at < 0 || text.indexOf(right, at + 1) >= 0) {
            throw new IllegalStateException(header + " must have once: " + right);
        }
        return text.substring(0, at) + wrong + text.substring(at + right.length());
    }

    @Override
    public String toString() {
        return name;
    }
}
