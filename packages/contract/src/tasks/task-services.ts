/** The actions of services that are built from a configuration. Keys are the names in code, values the names in stored tasks. */
export const stackActions = {
  preflight: "preflight",
  listFindings: "look",
  preview: "preview",
  plan: "plan",
  apply: "apply",
  destroy: "destroy",
  findDrift: "check",
} as const;

/** Every service with its actions. A task type is added here and nowhere else. */
export const services = {
  account: { verify: "verify" },
  network: stackActions,
  cluster: { ...stackActions, access: "access", addOns: "addons", token: "token" },
  storage: stackActions,
} as const;
