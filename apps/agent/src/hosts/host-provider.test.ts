import { cloudsFaults, type AccountRequest } from "@cloudwright/clouds";
import { hostsFaults } from "@cloudwright/hosts";
import { Fault, Secret } from "@cloudwright/platform";
import { expect, test } from "vitest";
import { createHostProvider } from "./host-provider.ts";
import type { HostService, OpenedHost } from "./open-host.ts";

const identity = { id: "machine-0123456789abcdef", hostname: "rack-1" };

function createService(part: Partial<HostService> = {}): HostService {
  return {
    label: "rack-1",
    labels: {},
    start: () => undefined,
    get: async () => ({ identity }) as unknown as OpenedHost,
    close: async () => undefined,
    ...part,
  };
}

const open = (service: HostService | undefined, request: Partial<AccountRequest> = {}) =>
  createHostProvider(service).openAccount({
    account: "rack",
    spec: { local: { agentLabel: "rack-1" } },
    region: "",
    session: "cloudwright-test",
    openCredentials: async () => new Secret({}),
    ...request,
  });

test("M206 an account is verified as the machine, and is bound to it", async () => {
  expect(await open(createService()).verify()).toEqual({ accountId: identity.id, identity: identity.hostname });
  const other = open(createService(), { accountId: "machine-fedcba9876543210" });
  await expect(other.verify()).rejects.toMatchObject({ code: "hosts.other_machine" });
  await expect(other.openDirect({ entityUid: "e" })).rejects.toMatchObject({ code: "hosts.other_machine" });
  expect(await open(createService(), { accountId: identity.id }).verify()).toMatchObject({ accountId: identity.id });
});

test("M206 an agent that is no host, or has another label, says what to do", async () => {
  const none = await open(undefined)
    .verify()
    .catch((error: unknown) => error as Fault);
  expect(none).toMatchObject({ code: "hosts.not_a_host", message: expect.stringContaining("CLOUDWRIGHT_AGENT_HOSTS") as string });
  await expect(open(createService({ label: "rack-2" })).verify()).rejects.toMatchObject({ code: "hosts.other_machine" });
  const missing = "nft: nft is not installed (apt-get install nftables)";
  const incapable = createService({ get: async () => Promise.reject(new Fault(hostsFaults.not_a_host, missing)) });
  await expect(open(incapable).verify()).rejects.toMatchObject({ code: "hosts.not_a_host", message: missing });
});

test("X062 a project that was not granted the machine gets nothing from it", async () => {
  let count = 0;
  const service = createService({
    get: async () => {
      count += 1;
      return { identity } as unknown as OpenedHost;
    },
  });
  const openCredentials = async (): Promise<never> => Promise.reject(new Fault(cloudsFaults.not_allowed, "not granted"));
  const account = open(service, { openCredentials });
  const calls = [account.verify(), account.openDirect({ entityUid: "e" }), account.listOwned("e"), account.view.listNetworks()];
  for (const call of calls) await expect(call).rejects.toMatchObject({ code: "clouds.not_allowed" });
  expect(count).toBe(0);
});
