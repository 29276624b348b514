import { createTestTask, type ContractEntity, type ContractSubject } from "@cloudwright/deployer/testing";
import type { JsonObject } from "@cloudwright/deployer";
import { createUid, objectOf, systemClock, textOf } from "@cloudwright/platform";
import { changeRecord } from "@cloudwright/simulator";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { TestPlatform } from "./test-platform.ts";

const overrides = { resource: { aws_vpc: { this: { enable_dns_hostnames: false } } } };

/**
 * Creates the subject that the executor contract suite uses to test Terraform: a network in a simulated cloud. Terraform is killed after
 * a random number of writes.
 */
export function createTerraformSubject(getPlatform: () => TestPlatform): ContractSubject {
  return {
    name: "Terraform",
    specs: {
      first: { zones: ["a"], cidr: "10.7.0.0/16" },
      updated: { zones: ["a", "b"], cidr: "10.7.0.0/16", infra: { overrides } },
      replaced: { zones: ["a"], cidr: "10.8.0.0/16" },
      invalid: { zones: ["a"], cidr: "10.7.0.0/29" },
    },
    kills: { samples: 1, amongWrites: 16 },
    openEntity: async () => openTerraformEntity(getPlatform()),
  };
}

async function openTerraformEntity(platform: TestPlatform): Promise<ContractEntity> {
  const { endpoint, inventory, directory, spawn } = platform;
  const [uid, account] = [createUid(systemClock.now()), { uid: createUid(systemClock.now()), cloud: "aws" }];
  const deployer = platform.createDeployer();
  let outputs: JsonObject = {};
  const list = () => inventory.list(account.uid);
  const findId = async (type: string): Promise<string> => (await inventory.list(account.uid, type))[0]?.id ?? "";
  /** Sends a signal to Terraform and its providers. Returns false if Terraform is not running. */
  const signalTerraform = (signal: "SIGINT" | "SIGKILL"): boolean => {
    try {
      return process.kill(-(platform.started.at(-1)?.child.pid ?? 0), signal);
    } catch {
      return false;
    }
  };
  /** Calls `act` when `times` resources have been created or deleted. Returns a function that stops waiting. */
  const whenChanged = (times: number, act: () => void): (() => void) => {
    const stop = new AbortController();
    void (async () => {
      const before = new Set((await list()).map(({ id }) => id));
      const created = new Set<string>();
      while (!stop.signal.aborted) {
        const now = new Set((await list()).map(({ id }) => id));
        for (const id of now) if (!before.has(id)) created.add(id);
        const gone = [...before, ...created].filter((id) => !now.has(id)).length;
        if (created.size + gone >= times) return act();
        await systemClock.sleep(5, stop.signal).catch(() => undefined);
      }
    })();
    return () => stop.abort();
  };
  return {
    uid,
    endpoint,
    async handle(action, options = {}) {
      const outcome = await deployer.handle(
        createTestTask(`network.${action}`, {
          entityUid: uid,
          account,
          outputs,
          spawn,
          directory: mkdtempSync(join(directory, "task-")),
          openState: async () => endpoint.access(uid),
          ...options,
        }),
      );
      if (action === "apply" && outcome.outcome === "done") outputs = outcome.outputs ?? {};
      return outcome;
    },
    killAt({ write }) {
      let wasKilled = false;
      const stop = whenChanged(write, () => (wasKilled = signalTerraform("SIGKILL")));
      return () => {
        stop();
        return wasKilled;
      };
    },
    async cancelInTheMiddle(work) {
      const controller = new AbortController();
      const stop = whenChanged(3, () => {
        controller.abort(new Error("cancelled"));
        // The driver does not send this signal. In production, the agent does.
        signalTerraform("SIGINT");
      });
      try {
        return await work(controller.signal);
      } finally {
        stop();
      }
    },
    list: async () =>
      (await list()).map(({ type, id, attributes }) => {
        const part = textOf(objectOf(attributes["tags"])["cloudwright:part"]);
        return { key: `${type} ${part === "" ? id : part}`, id };
      }),
    changeOutside: async () =>
      void (await changeRecord(
        inventory,
        account.uid,
        { type: "aws_vpc", id: await findId("aws_vpc") },
        { enable_dns_hostnames: false },
      )),
    async removeOutside() {
      const type = "aws_route_table_association";
      await inventory.delete(account.uid, { type, id: await findId(type) });
    },
    close: async () => undefined,
  };
}
