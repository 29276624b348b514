import type { JsonObject, Method } from "@cloudwright/contract";
import { Fault, isUid } from "@cloudwright/platform";
import { findEntity } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import { mergeWith } from "../entities/changes.ts";
import type { ApiDeps } from "../deps.ts";
import { textAt } from "../entities/json-tree.ts";
import { apiFaults } from "../faults.ts";
import { updateEntityMethod, type UpdateInput } from "./update-entity.ts";

/** The input of `attach` and `detach`. */
export interface AttachInput {
  readonly project: string;
  readonly parent: string;
  /** Name or uid of the volume. */
  readonly name: string;
  /** Name or uid of the instance. */
  readonly instance: string;
  readonly dryRun: boolean;
}

/** Attaches a volume by updating its spec. The rules for updates reject a volume that is attached to another instance. */
export async function attachVolume(deps: ApiDeps, call: Call, method: Method, input: AttachInput): Promise<Answer> {
  const sent = { spec: { instance: input.instance } };
  return updateEntityMethod(deps, call, method, { ...renderUpdate(input), sent, change: mergeWith(sent) });
}

/** Detaches a volume by updating its spec. Throws if the request names another instance than the one it is attached to. */
export async function detachVolume(deps: ApiDeps, call: Call, method: Method, input: AttachInput): Promise<Answer> {
  const sent = { spec: { instance: "" } };
  const expected = await findName(deps, input);
  const change = (current: JsonObject): ReturnType<ReturnType<typeof mergeWith>> => {
    const attached = textAt(current, "spec", "instance");
    if (expected !== "" && attached !== "" && attached !== expected) {
      const message = `Volume "${input.name}" is attached to Instance "${attached}", not to "${expected}"`;
      throw new Fault(apiFaults.volume_attached, message);
    }
    return mergeWith(sent)(current);
  };
  return updateEntityMethod(deps, call, method, { ...renderUpdate(input), sent, change });
}

function renderUpdate({ project, parent, name, dryRun }: AttachInput): Omit<UpdateInput, "sent" | "change"> {
  return { project, parent, name, dryRun, precondition: "", allowMissing: false, allow: [] };
}

/** Returns the instance's name, which specs contain even if the request had the uid. */
async function findName({ pool }: Pick<ApiDeps, "pool">, { project, instance }: AttachInput): Promise<string> {
  if (!isUid(instance)) return instance;
  const row = await findEntity(pool, { kind: "Instance", project, namingScope: "", ref: instance });
  return row?.name ?? instance;
}
