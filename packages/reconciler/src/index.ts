/**
 * Turns desired state into tasks, and task outcomes into status. Each pass reads an entity with everything it depends on and runs the steps
 * of its lifecycle. The pass writes status, operation, event and tasks in one transaction. This package only decides: it does not call
 * clouds or run programs.
 */
export { startReconciler, type Reconciler, type ReconcilerDeps, type ReconcilerOptions } from "./engine/reconciler.ts";
export type { Rules } from "./engine/step.ts";
export type { Scope } from "./engine/scope.ts";
