package dev.remat.runtime.executor;
final class AttentionShapes {
    interface W { long workspaceBytes(int s); long gradientWorkspaceBytes(int s); }
    static W of(Object a, Object b) { throw new IllegalStateException(); }
    static Kernel forward(Object a, AnchorOperands in) { throw new IllegalStateException(); }
    static Kernel gradient(Object a, AnchorOperands in) { throw new IllegalStateException(); }
}
