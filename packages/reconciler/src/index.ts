/**
 * Desired state becomes work, work becomes status. Each pass reads one entity with everything about it, asks its phases, and writes status,
 * operation, event and tasks in one transaction. It decides and never does: no cloud, no process, no network is known here.
 */
export { startReconciler, type Reconciler, type ReconcilerDeps, type ReconcilerOptions } from "./engine/reconciler.ts";
export type { Rules } from "./engine/step.ts";
export type { Scope } from "./engine/scope.ts";
