import { describeError } from "@cloudwright/platform";
import type { Cloud } from "../cloud.ts";
import type { DeployerTask } from "../task.ts";
import type { Drift } from "./describe-drift.ts";

/**
 * Adds the author of the last change to each drifted resource, if the cloud's audit trail names one. Drift is reported without authors if
 * the trail cannot be read, for example because the account lacks permission to read it.
 */
export async function addAuthors(
  task: Pick<DeployerTask, "log" | "progress">,
  openCloud: () => Promise<Pick<Cloud, "findAuthors">>,
  drift: Drift,
): Promise<Drift> {
  const resources = drift.items.flatMap(({ resourceType: type, id }) => (id === undefined ? [] : [{ type, id }]));
  if (resources.length === 0) return drift;
  try {
    const { findAuthors } = await openCloud();
    if (findAuthors === undefined) return drift;
    task.progress(90, "reading the audit trail");
    const changes = await findAuthors(resources);
    const items = drift.items.map((item) => {
      const change = changes.find(({ type, id }) => type === item.resourceType && id === item.id);
      if (change === undefined) return item;
      return { ...item, author: change.author, authorAction: change.action, changedAt: change.at.toISOString() };
    });
    return { ...drift, items };
  } catch (error) {
    task.log(`the audit trail could not be read, so the authors of the drift are unknown: ${describeError(error)}`);
    return drift;
  }
}
