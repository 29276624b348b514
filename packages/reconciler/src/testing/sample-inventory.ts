export const inventoryUid = "01980000-0000-7000-8000-00000000008e";

export const inventorySpec = {
  account: "rack",
  sshKey: "ops",
  user: "admin",
  hosts: [
    {
      name: "node-1",
      address: "192.0.2.11",
      port: 2222,
      user: "",
      hostKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ"],
      labels: { disk: "ssd" },
      mac: "52:54:00:12:34:56",
      bmc: { address: "https://192.0.2.5", user: "operator", system: "1", fingerprint: "", ca: "" },
    },
  ],
};
