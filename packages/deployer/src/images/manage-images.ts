import type { MachineImages } from "@cloudwright/clouds";
import { Fault } from "@cloudwright/platform";
import type { OpenCloud } from "../cloud.ts";
import { createTaskSession } from "../executor/task-session.ts";
import { deployerFaults } from "../faults.ts";
import type { DeployedAccount, DeployerOutcome, DeployerTask, JsonObject } from "../task.ts";

/** Lists, imports, builds or removes images of the account's machine. Returns all images that the machine has afterwards. */
export async function manageImages(
  deps: { readonly openCloud: OpenCloud },
  task: DeployerTask,
  account: DeployedAccount,
): Promise<DeployerOutcome> {
  const session = createTaskSession(deps, task, account);
  try {
    const { images } = await session.openCloud();
    if (images === undefined)
      throw new Fault(deployerFaults.not_supported, `the cloud of the account "${account.name}" has no images to manage`);
    await change(images, task);
    return { outcome: "done", outputs: { images: await describeImages(images) } };
  } catch (error) {
    throw session.explain(error);
  } finally {
    await session.close();
  }
}

async function change(images: MachineImages, task: DeployerTask): Promise<void> {
  const { action = "", image: name = "", path = "", format = "", sha256 = "" } = task.payload.imageWork ?? {};
  const run = { signal: task.signal, log: (line: string) => task.log(line) };
  switch (action) {
    case "list":
      return;
    case "import":
      task.progress(10, `importing ${name}`);
      return images.import({ name, path, format: format === "oci" ? "oci" : "rootfs", sha256, token: task.task.uid }, run);
    case "build":
      task.progress(10, `building ${name}`);
      return images.build(name, run);
    case "remove":
      task.progress(10, `removing ${name}`);
      return images.remove(name);
    default:
      throw new Fault(deployerFaults.bad_spec, `this agent cannot do "${action}" with images; update the agent`);
  }
}

const mib = 1024 ** 2;

async function describeImages(images: MachineImages): Promise<JsonObject[]> {
  return (await images.list()).map(({ name, source, sizeBytes, createdAtMs, users }) => ({
    name,
    source,
    sizeMib: Math.ceil(sizeBytes / mib),
    createdAt: new Date(createdAtMs).toISOString(),
    users,
  }));
}
