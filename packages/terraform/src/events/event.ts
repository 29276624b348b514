import type { Diagnostic } from "./diagnostic.ts";

export type ResourceAction =
  | "create"
  | "read"
  | "update"
  | "replace"
  | "delete"
  | "import"
  | "move"
  | "forget"
  | "none"
  | "other";

/** A resource and the action on it. */
export interface ResourceStep {
  readonly address: string;
  readonly resourceType: string;
  readonly action: ResourceAction;
}

/** A planned or detected change. */
export interface PlannedStep extends ResourceStep {
  /** Why the resource must be replaced or deleted, in Terraform's terms, such as `tainted` or `cannot_update`. */
  readonly reason?: string;
  readonly previousAddress?: string;
}

/** Counts of planned or completed changes. */
export interface ChangeSummary {
  readonly operation: "plan" | "apply" | "destroy";
  readonly add: number;
  readonly change: number;
  readonly remove: number;
  readonly import: number;
}

/** An event that Terraform reports while it works. `atMs` comes from Terraform's own clock. */
export type TerraformEvent = { readonly atMs?: number } & (
  | { readonly type: "version"; readonly version: string; readonly ui: string }
  | ({ readonly type: "planned" } & PlannedStep)
  | ({ readonly type: "drift" } & PlannedStep)
  | ({ readonly type: "started"; readonly id?: string } & ResourceStep)
  | ({ readonly type: "progress"; readonly seconds: number } & ResourceStep)
  | ({ readonly type: "finished"; readonly seconds: number; readonly id?: string } & ResourceStep)
  | ({ readonly type: "failed"; readonly seconds: number } & ResourceStep)
  | { readonly type: "refreshing" | "refreshed"; readonly address: string; readonly resourceType: string; readonly id?: string }
  | ({ readonly type: "summary" } & ChangeSummary)
  | {
      readonly type: "outputs";
      readonly outputs: Readonly<Record<string, { readonly sensitive: boolean; readonly action?: string }>>;
    }
  | { readonly type: "diagnostic"; readonly diagnostic: Diagnostic }
  | { readonly type: "message"; readonly message: string; readonly code?: string }
);
