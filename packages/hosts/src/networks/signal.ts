/** Cancels work on the host when it is aborted. */
export type Signal = AbortSignal | undefined;
