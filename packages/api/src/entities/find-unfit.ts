import { listSpecProblems, type CheckedEntity, type CloudName, type JsonObject } from "@cloudwright/contract";
import type { FieldViolation } from "@cloudwright/platform";
import { textAt } from "./json-tree.ts";
import type { JudgedEntity } from "./judge.ts";

/**
 * Returns a violation for each setting that the entity's cloud does not accept, such as a disk that is too small for its nodes. Problems
 * that the current spec already has are ignored, because they must not block other changes.
 */
export function findUnfit(
  { kind, metadata, spec, parents }: JudgedEntity,
  before: JsonObject,
  cloud: CloudName,
): FieldViolation[] {
  const entity: CheckedEntity = {
    name: textAt(metadata, "name"),
    spec,
    owner: parents[0]?.spec ?? {},
    region: parents.map((parent) => textAt(parent.spec, "region")).find((region) => region !== "") ?? "",
  };
  const isNew = Object.keys(before).length === 0;
  const former = isNew ? [] : listSpecProblems(cloud, kind, { ...entity, spec: before });
  return listSpecProblems(cloud, kind, entity)
    .filter(({ field, message }) => !former.some((each) => each.field === field && each.message === message))
    .map(({ field, message }) => ({ field, message }));
}
