/**
 * Turns desired state into tasks, and their outcomes into status. Each pass reads an entity with everything it depends on, runs the steps of its
 * lifecycle, and writes status, operation, event and tasks in one transaction. This package decides only: it calls no cloud and no program.
 */
export { startReconciler, type Reconciler, type ReconcilerDeps, type ReconcilerOptions } from "./engine/reconciler.ts";
export type { Rules } from "./engine/step.ts";
export type { Scope } from "./engine/scope.ts";
