import { cloudOf, type JsonObject, type Method } from "@cloudwright/contract";
import { findCloud } from "@cloudwright/contract/clouds";
import type { ManageImagesRequest } from "@cloudwright/contract/gen/cloudwright/v1/account_pb.ts";
import { Fault, type FieldViolation } from "@cloudwright/platform";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import { invalid } from "../calls/decode.ts";
import { parseEntity } from "../calls/trace-call.ts";
import type { ApiDeps } from "../deps.ts";
import { retryStale } from "../entities/retry-stale.ts";
import { saveEntity } from "../entities/save-entity.ts";
import { requireEntity, resolveTarget } from "../entities/target.ts";
import { apiFaults } from "../faults.ts";
import { openOperation } from "../operations/open-operation.ts";

type Input = Pick<ManageImagesRequest, "project" | "parent" | "name" | "action" | "image" | "path" | "format" | "sha256">;

/** Starts an operation on the images of an account's machine. The machine's agent carries it out. The account stays the same. */
export async function manageImages(deps: ApiDeps, call: Call, method: Method, input: Input): Promise<Answer> {
  const target = await resolveTarget(deps, call, method, input);
  return retryStale(deps, `${target.kind.kind} "${input.name}"`, async () => {
    const row = await requireEntity(deps, call, target, input.name);
    if (row.deleted_at !== null) throw new Fault(apiFaults.being_deleted, `${row.kind} "${row.name}" is being deleted`);
    const entity = parseEntity(row.object);
    const fields = [...checkCloud(row.name, entity.spec), ...checkInput(input)];
    if (fields.length > 0) throw invalid("the request", fields);
    const { action, image, path, format, sha256 } = input;
    const subject = { ...row, generation: entity.metadata.generation ?? 0 };
    const opened = await openOperation(deps, call, "images", subject, { imageWork: { action, image, path, format, sha256 } });
    const saved = await saveEntity(deps, call, method, {
      row,
      entity,
      environmentUid: row.environment_uid,
      sealed: row.sealed,
      opened,
      isBeside: true,
      reason: "",
      message: "",
    });
    if (saved === undefined) return undefined;
    const { name, object, resourceVersion } = opened.insert;
    return { body: object, version: resourceVersion, operation: { project: row.project, name } };
  });
}

function checkCloud(name: string, spec: JsonObject): FieldViolation[] {
  const cloud = findCloud(cloudOf(spec) ?? "");
  if (cloud === undefined || cloud.hasMachineImages === true) return [];
  const message = `is "${name}", which is in ${cloud.title}; only accounts of your own machines have images that the platform manages`;
  return [{ field: "name", message }];
}

/** Each action uses some of the fields. The others must be empty, so that a mistake does not go unnoticed. */
function checkInput({ action, image, path, format, sha256 }: Input): FieldViolation[] {
  const isImport = action === "import";
  const needed = { image: action !== "list", path: isImport };
  const values = { image, path, format, sha256 };
  const allowed: readonly string[] = isImport ? Object.keys(values) : needed.image ? ["image"] : [];
  return Object.entries(values).flatMap(([field, value]) => {
    if (value === "" && (needed as Readonly<Record<string, boolean>>)[field] === true)
      return [{ field, message: `is required for the action "${action}"` }];
    if (value === "" || allowed.includes(field)) return [];
    return [{ field, message: `must be empty for the action "${action}"` }];
  });
}
