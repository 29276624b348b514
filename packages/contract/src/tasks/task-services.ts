/**
 * Actions of services that are built from a Terraform configuration. Keys are the names in code, and values are the names in stored tasks.
 */
export const stackActions = {
  preflight: "preflight",
  listFindings: "look",
  preview: "preview",
  plan: "plan",
  apply: "apply",
  destroy: "destroy",
  findDrift: "check",
  adoptResource: "adopt",
  forgetResource: "forget",
} as const;

/** All services with their actions. This is the only place where task types are defined. */
export const services = {
  account: { verify: "verify", discover: "discover", manageImages: "images" },
  network: stackActions,
  cluster: { ...stackActions, access: "access", addOns: "addons", token: "token", gates: "gates" },
  storage: stackActions,
  instance: { ...stackActions, readHostKeys: "hostkeys", readConsole: "console", replaceKey: "keys" },
  securitygroup: stackActions,
  volume: stackActions,
  inventory: { verify: "verify", findDrift: stackActions.findDrift },
  volumesnapshot: stackActions,
} as const;
