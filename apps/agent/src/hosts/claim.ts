import { cloudsFaults, type CloudPart, type MachineAccess } from "@cloudwright/clouds";
import { hostsFaults, installClaim, readClaimedKeys, readFacts, releaseClaim, type MachineShell } from "@cloudwright/hosts";
import { Fault, textsOf, type JsonObject } from "@cloudwright/platform";
import { withMachine } from "./machine-shell.ts";
import { readPower, untilStarted, withController } from "./machine-power.ts";
import { parseOwnedId, renderOwnedId } from "./owned-id.ts";

const consoleScript = "journalctl -b --no-pager -q -n 1000 2>/dev/null || dmesg 2>/dev/null || true";

/**
 * Claims of machines that already exist. The machine itself holds the record of its claim, so a claim is found even if the agent was killed
 * while it made the claim. `machine` is undefined for runs of other entities, which have no claims.
 */
export function createClaims(machine: MachineAccess | undefined): CloudPart {
  const require = (): MachineAccess => {
    if (machine !== undefined) return machine;
    throw new Fault(cloudsFaults.invalid, "this run has not claimed a machine");
  };
  const onMachine = <Result>(signal: AbortSignal, work: (shell: MachineShell) => Promise<Result>): Promise<Result> =>
    withMachine(require(), signal, work);

  async function read(id: string, signal: AbortSignal): Promise<JsonObject | undefined> {
    const own = require();
    // Without confirmed keys, nothing has ever been changed on the machine.
    if (own.hostKeys.length === 0) return undefined;
    const common = { host: own.name, ready: true, failed: false };
    // A machine that is off cannot be asked for its keys.
    if ((await readPower(own, signal)) === "off") return { ...common, ssh_keys: [...own.authorizedKeys], power_state: "stopped" };
    return onMachine(signal, async (shell) => {
      const keys = await readClaimedKeys(shell, id);
      if (keys === undefined) return undefined;
      const { os, architecture, cores, memoryMib: memory_mib } = await readFacts(shell);
      return { ...common, ssh_keys: [...keys], power_state: "running", os, architecture, cores, memory_mib };
    });
  }

  async function ensure(id: string, attributes: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const own = require();
    const isStopped = attributes["power_state"] === "stopped";
    const power = await readPower(own, signal);
    if (isStopped && power === undefined) {
      throw new Fault(hostsFaults.bmc_unsupported, `${own.name} has no management controller, so it cannot be stopped`);
    }
    const keys = textsOf(attributes["ssh_keys"]);
    const install = (): Promise<void> => onMachine(signal, (shell) => installClaim(shell, { id, keys }));
    // A stopped machine keeps its keys. A new claim needs the machine to run once.
    const isOff = power === "off";
    if (isOff) await withController(own, signal, (system) => system.powerOn());
    await (isOff ? untilStarted(install, signal) : install());
    const live = await read(id, signal);
    if (live === undefined) throw new Fault(cloudsFaults.conflict, `the claim on ${own.name} was removed while it was made`);
    if (!isStopped) return live;
    await withController(own, signal, (system) => system.powerOff());
    return { ...live, power_state: "stopped" };
  }

  async function release(id: string, signal: AbortSignal): Promise<void> {
    const own = require();
    if (own.hostKeys.length === 0) return;
    const work = (): Promise<void> => onMachine(signal, (shell) => releaseClaim(shell, id));
    if ((await readPower(own, signal)) !== "off") return work();
    // The machine is switched on for the release only.
    await withController(own, signal, (system) => system.powerOn());
    await untilStarted(work, signal);
    await withController(own, signal, (system) => system.powerOff());
  }

  const listOwned: CloudPart["listOwned"] = async (entityUid, signal) => {
    if (machine === undefined || machine.hostKeys.length === 0) return [];
    const id = renderOwnedId({ entityUid, name: "this" });
    return (await read(id, signal)) === undefined ? [] : [{ id, name: "this" }];
  };

  return {
    name: "local_claim",
    // Another host is another claim.
    immutable: ["host"],
    isClaimed: true,
    async create(attributes, owner, signal) {
      const id = renderOwnedId(owner);
      return { id, attributes: await ensure(id, attributes, signal) };
    },
    read,
    update: ensure,
    delete: release,
    listOwned,
    findOwner: async (id, signal) => ((await read(id, signal)) === undefined ? undefined : parseOwnedId(id)?.entityUid),
    readConsole: (_id, signal) => onMachine(signal, async (shell) => (await shell.run(["sh", "-c", consoleScript])).stdout),
    readHostKeys: async () => [...require().hostKeys],
  };
}
