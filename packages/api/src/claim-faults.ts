/** Faults about volumes and hosts that are in use. They are part of `apiFaults`. */
export const claimFaults = {
  volume_attached: {
    kind: "conflict",
    when: "a volume is attached to an instance, so it can be neither attached to another instance nor deleted",
    help: "Unmount its file system in the instance, then detach it: `cloud volume detach NAME`.",
  },
  host_claimed: {
    kind: "conflict",
    when: "a host of an inventory is claimed by an instance, so another instance cannot claim it and it cannot be removed",
    help: "Claim another host, or release this one: `cloud instance delete NAME`. `cloud inventory get NAME` lists the claims.",
  },
  no_free_host: {
    kind: "conflict",
    when: "no host of an inventory is free, ready and has the required labels",
    help: "The message says why each host was not chosen. Release a host, add one, or run `cloud inventory check NAME --wait`.",
  },
} as const;
