import type { Operation } from "@cloudwright/contract";
import type { Answer } from "../answer.ts";
import type { Call } from "../caller.ts";
import { mergeWith } from "../changes.ts";
import type { ApiDeps } from "../deps.ts";
import { updateEntityOperation } from "./update-entity.ts";

/** Which version a cluster is to have. */
export interface UpgradeInput {
  readonly project: string;
  readonly parent: string;
  readonly name: string;
  readonly version: string;
  readonly dryRun: boolean;
  readonly allow: readonly string[];
}

/** Raises a cluster's version: a change of its spec by another name, so that everything that holds for changes holds for this one. */
export function upgradeCluster(deps: ApiDeps, call: Call, operation: Operation, input: UpgradeInput): Promise<Answer> {
  const { version, ...rest } = input;
  const sent = { spec: { version } };
  return updateEntityOperation(deps, call, operation, {
    ...rest,
    sent,
    change: mergeWith(sent),
    precondition: "",
    allowMissing: false,
  });
}
