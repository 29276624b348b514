import { getCloud } from "@cloudwright/contract/clouds";
import { Fault, Secret } from "@cloudwright/platform";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { capabilities, type Capability, type CloudAccount, type CloudProvider, type Leftover } from "../cloud-provider.ts";

/** An account to run the suite against, with functions that create resources in it. */
export interface ContractFixture {
  readonly provider: CloudProvider;
  readonly region: string;
  /** The account's spec, including secrets. */
  readonly credentials: Readonly<Record<string, unknown>>;
  /** A secret from `credentials` that must not leak into messages or printed values. Absent if the provider needs no secrets. */
  readonly secret?: string;
  /** Creates a network with an ownership tag and returns its ID. */
  createNetwork(owner: string, range: string): Promise<string>;
  /** Creates a volume with the cluster's tags, as its storage driver would, and returns its ID. */
  createClusterVolume(cluster: string): Promise<string>;
  close(): Promise<void>;
}

const [owner, otherOwner] = ["0199aaaa-0000-7000-8000-00000000c0de", "0199aaaa-0000-7000-8000-0000deadbeef"];

/**
 * The contract suite for `CloudProvider`. Real clouds run it against a fake API, and the simulator runs it against its inventory. For
 * capabilities that a provider lacks, the suite checks that they throw `clouds.not_implemented`.
 */
export function describeCloudProvider(
  title: string,
  supported: ReadonlySet<Capability>,
  openFixture: () => Promise<ContractFixture>,
): void {
  const lacks = (...needed: Capability[]): boolean => needed.some((each) => !supported.has(each));
  describe(`the cloud provider contract: ${title}`, () => {
    let fixture: ContractFixture;
    let account: CloudAccount;
    beforeAll(async () => {
      fixture = await openFixture();
      account = open(fixture);
    });
    afterAll(async () => {
      await account.close();
      await fixture.close();
    });

    test("its facts come from the contract", () => {
      expect(fixture.provider.facts).toBe(getCloud(fixture.provider.name));
    });

    test("it has exactly the declared capabilities", () => {
      expect([...fixture.provider.capabilities].toSorted()).toEqual([...supported].toSorted());
    });

    test("a missing capability throws clouds.not_implemented and names the cloud and the capability", async () => {
      const { name } = fixture.provider;
      for (const capability of capabilities.filter((each) => !supported.has(each))) {
        const fault = await useCapability(fixture.provider, account, capability).catch((error: unknown) => error);
        expect(fault).toBeInstanceOf(Fault);
        expect(fault).toMatchObject({ code: "clouds.not_implemented", extra: { cloud: name, capability } });
        expect((fault as Fault).message).toContain(getCloud(name).title);
      }
    });

    test.skipIf(lacks("identity"))("verification returns the account ID and identity, but no secret", async () => {
      const identity = await account.verify();
      expect(identity.accountId).not.toBe("");
      expect(identity.identity).not.toBe("");
      expect(JSON.stringify([identity, account])).not.toContain(secretOf(fixture));
    });

    test.skipIf(lacks("view"))("the view lists zones by the full names in the contract", async () => {
      const { regions } = getCloud(fixture.provider.name);
      const zones = await account.view.listZones();
      expect(zones.length > 0).toBe(hasZones(fixture));
      for (const zone of zones) expect(regions.renderZone(fixture.region, zone)).toBe(zone);
    });

    test.skipIf(lacks("view"))("the view lists zones for the default machine type, and omits unknown types", async () => {
      const { machines } = getCloud(fixture.provider.name);
      const offered = await account.view.listOffered([machines.defaultType, "no-such-type"]);
      expect(offered.map(({ name }) => name)).toEqual([machines.defaultType]);
      expect(offered[0]).toMatchObject({ isCommon: true });
      expect(offered[0]?.vcpus).toBeGreaterThan(0);
      expect((offered[0]?.zones.length ?? 0) > 0).toBe(hasZones(fixture));
    });

    test.skipIf(lacks("view"))("the view returns every quota as a number, and the verified identity", async () => {
      const limits = await account.view.getLimits();
      expect(Object.keys(limits).toSorted()).toEqual([
        "internetGateways",
        "natGatewaysPerZone",
        "networks",
        "publicIps",
        "vcpus",
      ]);
      for (const limit of Object.values(limits)) expect(limit).toBeGreaterThanOrEqual(0);
      expect(await account.view.getIdentity()).toEqual(await account.verify());
    });

    test.skipIf(lacks("view", "owned-resources"))(
      "a network appears in the view with its owner, and only in the owner's resources",
      async () => {
        const id = await fixture.createNetwork(owner, "10.77.0.0/16");
        expect(await account.view.listNetworks()).toContainEqual({ id, ranges: ["10.77.0.0/16"], owner: owner });
        expect((await account.listOwned(owner)).map((each) => each.id)).toContain(id);
        expect(await account.listOwned(otherOwner)).toEqual([]);
      },
    );

    test.skipIf(lacks("view", "objects"))(
      "unused cluster and bucket names are not found, and a missing bucket has no objects",
      async () => {
        expect(await account.view.findCluster("no-such-cluster")).toBeUndefined();
        expect(await account.view.findBucket("no-such-bucket-0199")).toBeUndefined();
        expect(await account.countObjects("no-such-bucket-0199")).toBe(0);
      },
    );

    test.skipIf(lacks("leftovers"))(
      "leftovers are found by cluster, can be retained, and can be removed twice without a fault",
      async () => {
        const [removed, retained] = [await fixture.createClusterVolume("dev"), await fixture.createClusterVolume("dev")];
        await account.leftovers.retain(retained);
        const found = await account.leftovers.list("dev");
        expect(found.map(({ id }) => id)).toEqual([removed]);
        expect(await account.leftovers.list("another")).toEqual([]);
        const [leftover] = found as [Leftover];
        await account.leftovers.remove(leftover);
        await account.leftovers.remove(leftover);
        expect(await account.leftovers.list("dev")).toEqual([]);
      },
    );

    test.skipIf(lacks("terraform"))("Terraform's credentials are secrets, and its access can be closed", async () => {
      const access = await account.openTerraform();
      expect(JSON.stringify([access.environment, access.secretEnvironment])).not.toContain(secretOf(fixture));
      for (const value of Object.values(access.secretEnvironment)) expect(value).toBeInstanceOf(Secret);
      await access.close();
    });

    test.skipIf(lacks("policy"))("every feature has a least-privilege policy that is smaller than the full policy", () => {
      const policy = fixture.provider.getPolicy();
      expect(policy.features.length).toBeGreaterThan(0);
      const whole = JSON.stringify(policy.render()).length;
      for (const feature of policy.features) expect(JSON.stringify(policy.render([feature])).length).toBeLessThan(whole);
    });

    test("an account that is opened but not used makes no call and can be closed", async () => {
      let calls = 0;
      const unused = open(fixture, () => (calls += 1));
      await unused.close();
      expect(calls).toBe(0);
    });
  });
}

/** Returns whether the provider's cloud has regions, which consist of zones. */
function hasZones({ provider }: ContractFixture): boolean {
  return provider.facts.regions.default !== "";
}

function secretOf({ secret = "this account has no secret" }: ContractFixture): string {
  return secret;
}

function open({ provider, region, credentials }: ContractFixture, onCall = (): unknown => undefined): CloudAccount {
  return provider.openAccount({
    account: "contract",
    spec: {},
    region,
    session: "cloudwright-contract",
    async openCredentials() {
      onCall();
      return new Secret(credentials);
    },
  });
}

async function useCapability(provider: CloudProvider, account: CloudAccount, capability: Capability): Promise<unknown> {
  const uses: Readonly<Record<Capability, () => unknown>> = {
    identity: () => account.verify(),
    view: () => account.view.listZones(),
    "owned-resources": () => account.listOwned("nobody"),
    objects: () => account.countObjects("nothing"),
    "audit-trail": () => account.findAuthors([]),
    leftovers: () => account.leftovers.list("nothing"),
    "cluster-access": () => account.openCluster({ name: "c", region: "r", endpoint: "https://c.example", caPem: "" }),
    terraform: () => account.openTerraform(),
    direct: () => account.openDirect({ entityUid: "nobody" }),
    library: () => account.openLibrary({}),
    policy: () => provider.getPolicy(),
    clusters: () => account.clusters.countNodes("nothing"),
    "own-token": () => provider.createOwnToken({ cluster: "c", region: "r" }),
  };
  return uses[capability]();
}
