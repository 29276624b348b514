import { getCloud } from "@cloudwright/contract/clouds";
import { expect, test } from "vitest";
import { findShortage } from "./network-checks.ts";

const commands = [
  ["aws", "eu-west-1", /`aws service-quotas .*--region eu-west-1.*`aws service-quotas request-service-quota-increase`/],
  ["gcp", "europe-west1", /`gcloud compute regions describe europe-west1`.*`gcloud beta quotas preferences create`/],
  ["azure", "westeurope", /`az vm list-usage --location westeurope .*`az quota update`/],
] as const;

test.each(commands)(
  "X013 M157 a quota that is too low in %s is reported with the commands that show and raise the quota",
  (name, region, says) => {
    const place = { cloud: getCloud(name), region };
    const [finding, ...more] = findShortage(place, "spec.workers", "vCPUs", { limit: 8, used: 6, wanted: 4 });
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ field: "spec.workers", message: expect.stringContaining("6 of 8 in use, 4 more needed") });
    expect(finding?.help).toMatch(says);
    expect(findShortage(place, "spec.workers", "vCPUs", { limit: 4, used: 0, wanted: 4 })).toEqual([]);
  },
);

test.each(commands)(
  "X013 M157 a quota of zero in %s is reported as such, with the command that raises it",
  (name, region, says) => {
    const place = { cloud: getCloud(name), region };
    const [finding, ...more] = findShortage(place, "spec.workers", "vCPUs", { limit: 0, used: 0, wanted: 4 });
    expect(more).toEqual([]);
    expect(finding?.message).toBe("the quota for vCPUs is 0, but the request needs 4");
    expect(finding?.help).toMatch(says);
    expect(finding?.help).not.toMatch(/delete unused|reduce/);
  },
);

test("X013 every cloud with a CLI names the command that lists the machine types of a region", () => {
  for (const [name, region] of commands)
    expect(getCloud(name).commands?.listMachineTypes(region)).toMatch(new RegExp(`^(aws|gcloud|az) .*${region}`));
});
