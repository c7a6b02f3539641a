/* One training step that remat has compiled, for programs without Java.
 *
 * Compile step.cc with any C++17 compiler and link with -ldl; at run time it needs the CUDA driver, no toolkit. All
 * functions that return int return 0 for success; else remat_error() says what went wrong. A step may be used by one
 * thread at a time.
 */
#ifndef REMAT_STEP_H
#define REMAT_STEP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct remat_step remat_step;

/* A tensor at a fixed place of the arena, dense and row-major. */
typedef struct remat_tensor {
    const char* name;  /* as in the model: block.0.attention.qkv.weight */
    const char* kind;  /* data, parameter, state, accumulator, step (its number), seed, micro_batch or output */
    const char* dtype; /* f32, bf16, f16, f64, i32, i64 or bool */
    int rank;
    const int64_t* extents;
    uint64_t offset; /* first byte in the arena */
    uint64_t bytes;
//moving:     int below; /* 1 where it lives in pinned memory of the host, which the offset is in; else 0 */
} remat_tensor;

/* Size of the arena. The step uses no other memory of the device but its code. */
uint64_t remat_arena_bytes(void);
//moving:
//moving: /* Size of what remat_create pins of the host's memory. Tensors wait there while kernels do not need them, and come
//moving:  * back beside the kernels. */
//moving: uint64_t remat_host_bytes(void);

/* All tensors that can be written before a step or read after it. */
const remat_tensor* remat_tensors(int* count);

/* Loads the kernels that lie in the artifact's folder onto a device, counted from 0.
 * arena: an address on that device, a multiple of 256, of remat_arena_bytes() bytes that stay the caller's; 0 to
 * allocate them, zeroed. Parameters and state must be written before the first step. */
int remat_create(const char* artifact, int device, uint64_t arena, remat_step** step);

/* Frees what remat_create took. Null is ignored. */
void remat_destroy(remat_step* step);

/* Copies a whole tensor between host and arena; waits for steps that are under way. bytes must be the tensor's. Where
 * steps cut their batch, what is data may also be written as remat_micro_batches() times as many bytes: the rows of the
 * whole batch, which are kept on the host until others are written. */
int remat_write(remat_step* step, const char* name, const void* from, uint64_t bytes);
int remat_read(remat_step* step, const char* name, void* to, uint64_t bytes);

/* From now on steps run in this stream, in its order, and so do reads and writes: a CUstream or cudaStream_t of the
 * device's primary context, such as torch.cuda.current_stream().cuda_stream, that stays the caller's and outlives the
 * step. 0 is the step's own stream, which waits for no other; (void*)1 is the default stream, which no graph can be
 * captured in. Waits for the steps under way. */
int remat_use_stream(remat_step* step, void* stream);

/* Random draws start from this seed from the next step on, instead of the one that the artifact was built with. */
int remat_seed(remat_step* step, int64_t seed);

//whole: /* Starts training step `number`, counted from 1, and does not wait for its end. The number feeds random draws and
//whole:  * updates. The first call launches kernels one by one; later ones replay CUDA graphs where the driver has them. With
//whole:  * REMAT_SYNC=1 in the environment every launch is waited for, so that a failure names its kernel. */
//whole: int remat_run(remat_step* step, int64_t number);
//whole:
//whole: /* Into how many micro-batches a step cuts its batch; 1 where it does not. Of several, tensors of data in the arena have
//whole:  * the rows of one, and remat_run needs the whole batch, of all data. */
//whole: int remat_micro_batches(void);
//whole:
//whole: /* How often a step goes over its micro-batches: 2 where something of the whole batch has to be known first, such as how
//whole:  * many targets count; else 1. */
//whole: int remat_passes(void);
//whole:
//whole: /* The rounds of a step one by one, for callers who have no whole batch in memory of the host, or bring rows in the
//whole:  * stream:
//whole:  *
//whole:  *     for (int pass = 0; pass < remat_passes(); ++pass)
//whole:  *         for (int k = 0; k < remat_micro_batches(); ++k) {
//whole:  *             ... the data of micro-batch k, by remat_write
//whole:  *             remat_run_micro_batch(step, number, pass, k);
//whole:  *         }
//whole:  *     remat_finish_step(step);
//whole:  *
//whole:  * Neither waits for its end. Before remat_finish_step no parameter and no state has changed, and the loss is known. It
//whole:  * refuses a step of which micro-batches are missing, and remat_run_micro_batch another order. */
//whole: int remat_run_micro_batch(remat_step* step, int64_t number, int pass, int micro_batch);
//whole: int remat_finish_step(remat_step* step);
//whole:
//whole: /* The two halves of remat_run: up to the loss, then the rest with every update of parameters and state. A caller who
//whole:  * reads the loss in between can stop before a loss that is not a number reaches them. */
//whole: int remat_run_to_loss(remat_step* step, int64_t number);
//whole: int remat_run_from_loss(remat_step* step);
//staged: /* What this stage of a step sends to others and takes from them, in the order in which a step begins them. Both ends of
//staged:  * a message have its number, and those between two stages have one order at both ends. */
//staged: typedef struct remat_message {
//staged:     const char* name;
//staged:     int sends;       /* 1 to the other stage, 0 from it */
//staged:     int stage;       /* the other one, counted from 0 */
//staged:     int number;
//staged:     uint64_t offset; /* first byte in the arena */
//staged:     uint64_t bytes;
//staged: } remat_message;
//staged:
//staged: const remat_message* remat_messages(int* count);
//staged:
//staged: /* Where the arena begins on the device. */
//staged: uint64_t remat_arena(const remat_step* step);
//staged:
//staged: /* What a stage stops for. */
//staged: enum {
//staged:     REMAT_BEGINS = 0,  /* what is sent is there, or there is room for what is taken, behind what was launched so far */
//staged:     REMAT_ENDS = 1,    /* what is launched from now on has to come behind the end of the message */
//staged:     REMAT_UPDATES = 2, /* from now on parameters and state change: wait here until the loss is known to be a number */
//staged:     REMAT_DONE = 3     /* the step is launched whole */
//staged: };
//staged:
//staged: /* Starts training step `number`, counted from 1, of this stage. */
//staged: int remat_begin_step(remat_step* step, int64_t number);
//staged:
//staged: /* Launches kernels up to where the stage stops next, and does not wait for their end. The caller moves messages, by
//staged:  * whatever means:
//staged:  *
//staged:  *     remat_begin_step(step, number);
//staged:  *     for (int stop = REMAT_BEGINS, message; stop != REMAT_DONE;) {
//staged:  *         remat_run_to_stop(step, &stop, &message);
//staged:  *         ... REMAT_BEGINS: begin to move it beside the stream of the step, behind what is in that
//staged:  *         ... REMAT_ENDS: have the stream wait until it has ended
//staged:  *     }
//staged:  *
//staged:  * message is its place among remat_messages, -1 where there is none. Whoever begins each at once, and goes on until one
//staged:  * has to have ended, never waits for ever. Messages may take as long as they like, and no other order than this. */
//staged: int remat_run_to_stop(remat_step* step, int* stop, int* message);

/* Waits for the steps under way and reports what went wrong in them. */
int remat_synchronize(remat_step* step);

/* Waits, then reads the last step's loss. */
int remat_loss(remat_step* step, double* loss);

/* What is no failure but should be known, such as a driver that captures no graphs; empty if there is nothing. */
const char* remat_warning(const remat_step* step);

/* What the last failed call of this thread reported. */
const char* remat_error(void);

#ifdef __cplusplus
}
#endif

#endif
