package dev.remat.compiler.plan;

import java.util.function.Supplier;

/** Goes with a search on behalf of another, which is told and asked everything. */
public abstract class ForwardingListener implements SearchListener {
    private final SearchListener behind;

    /** @param behind follows as well */
    protected ForwardingListener(SearchListener behind) {
        this.behind = behind;
    }

    @Override
    public void within(long budgetBytes) {
        behind.within(budgetBytes);
    }

    @Override
    public void trying(String what) {
        behind.trying(what);
    }

    @Override
    public void proved(LowerBound bound) {
        behind.proved(bound);
    }

    @Override
    public void found(Proposal proposal) {
        behind.found(proposal);
    }

    @Override
    public void measured(Proposal proposal, long bytes) {
        behind.measured(proposal, bytes);
    }

    @Override
    public void worked(long amount) {
        behind.worked(amount);
    }

    @Override
    public boolean expired() {
        return behind.expired();
    }

    @Override
    public <T> T rehearse(Supplier<T> work) {
        return behind.rehearse(work);
    }

    @Override
    public SearchListener halfOfRest() {
        return behind.halfOfRest();
    }
}
