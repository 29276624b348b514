import { type JsonObject } from "@cloudwright/contract";
import type { FieldViolation } from "@cloudwright/platform";
import { findReferences, type Reference, type ReferenceRow } from "@cloudwright/store";
import { includes, reachesPlatform, requireCaller, type Call } from "../calls/caller.ts";
import { invalid } from "../calls/decode.ts";
import type { ApiDeps } from "../deps.ts";
import type { Wish } from "./entity-json.ts";
import { textAt } from "./json-tree.ts";
import { notFound, type Target } from "./target.ts";
import { parseEntity } from "../calls/trace-call.ts";

/** The entities that a new one refers to. `names` are its reference fields with uids replaced by names. */
export interface References {
  readonly parent: ReferenceRow | undefined;
  readonly parentSpec: JsonObject | undefined;
  readonly environment: ReferenceRow | undefined;
  readonly subject: ReferenceRow | undefined;
  readonly names: JsonObject;
}

/** Finds parent, environment and subject in one statement; what is missing is named by its field. */
export async function resolveReferences(
  deps: Pick<ApiDeps, "pool">,
  call: Call,
  target: Target,
  wish: Wish,
): Promise<References> {
  const wanted = wantedReferences(call, target, wish);
  const found = await findReferences(
    deps.pool,
    wanted.map(({ reference }) => reference),
  );
  const fields: FieldViolation[] = [];
  const byRole: Partial<Record<Wanted["role"], ReferenceRow>> = {};
  const names: JsonObject = {};
  for (const [index, item] of wanted.entries()) {
    const { role, reference, field, specField } = item;
    const row = found[index];
    if (row === undefined || isHidden(call, target, item, row)) {
      if (reference.kind === "Project") throw notFound("Project", reference.ref);
      fields.push({ field, message: `${reference.kind} "${reference.ref}" not found` });
      continue;
    }
    byRole[role] = row;
    if (specField !== undefined) names[specField] = row.name;
  }
  if (fields.length > 0) throw invalid(`the ${target.kind.kind}`, fields);
  const parent = byRole.parent ?? target.parent;
  const parentSpec = parent === undefined || target.kind.parent === undefined ? undefined : parseEntity(parent.object).spec;
  return { parent, parentSpec, environment: byRole.environment, subject: byRole.subject, names };
}

/** Whether the caller may not refer to it, which is answered as if it did not exist. */
function isHidden(call: Call, target: Target, { role, reference }: Wanted, row: ReferenceRow): boolean {
  if (role !== "parent") return false;
  // Paths name projects by name only: what was kept under a project's uid would belong to none.
  if (reference.kind === "Project") return row.name !== reference.ref;
  const caller = requireCaller(call);
  // Only platform owners make keys for others, and only they may learn who there is.
  if (reference.kind === "User") return row.uid !== caller.userUid && !reachesPlatform(caller, "owner");
  return !includes(target.reach, row.environment);
}

interface Wanted {
  readonly role: "parent" | "environment" | "subject";
  readonly reference: Reference;
  readonly field: string;
  readonly specField?: string;
}

function wantedReferences(call: Call, target: Target, wish: Wish): Wanted[] {
  const { kind, project } = target;
  const wanted: Wanted[] = [];
  const user =
    kind.kind === "ApiKey" || kind.kind === "RoleBinding" ? textAt(wish.spec, "user") || requireCaller(call).user : undefined;
  if (kind.kind === "ApiKey" && user !== undefined) {
    wanted.push({ role: "parent", reference: { kind: "User", project: "", ref: user }, field: "spec.user", specField: "user" });
  } else if (kind.parent?.field !== undefined) {
    const { field } = kind.parent;
    const ref = textAt(wish.spec, field);
    wanted.push({
      role: "parent",
      reference: { kind: kind.parent.kind, project, ref },
      field: `spec.${field}`,
      specField: field,
    });
  } else if (kind.scope === "project" && kind.parent === undefined) {
    wanted.push({ role: "parent", reference: { kind: "Project", project: "", ref: project }, field: "project" });
  }
  if (kind.kind === "RoleBinding" && user !== undefined) {
    wanted.push({ role: "subject", reference: { kind: "User", project: "", ref: user }, field: "spec.user", specField: "user" });
  }
  if (wish.environment !== "") {
    wanted.push({
      role: "environment",
      reference: { kind: "Environment", project, ref: wish.environment },
      field: "metadata.environment",
    });
  }
  return wanted;
}
