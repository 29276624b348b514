import type { Setting, SettingGroup } from "../../settings/setting.ts";

/** Settings that control who can reach the API server. They are the same in every cloud. */
export const endpointSettings: readonly Setting[] = [
  {
    path: "endpoint.public",
    label: "Access to the API server",
    input: "choice",
    usual: "Public, agent's address only (default)",
    options: [
      [true, "Public, specific ranges only"],
      [false, "Private: only from inside the network"],
    ],
  },
  {
    path: "endpoint.publicCidrs",
    label: "Address ranges that can reach the API server",
    input: "list",
    description: "For public access. 0.0.0.0/0 allows all addresses.",
    placeholder: "203.0.113.0/24",
    needs: "endpoint.public",
  },
];

/** Settings for deleting a cluster. They are the same in every cloud and follow the cloud-specific settings. */
export const deletionSettings: SettingGroup = {
  title: "Deletion",
  isAdvanced: true,
  settings: [
    {
      path: "claimVolumes",
      label: "What happens to the volumes of persistent volume claims when the cluster is deleted",
      input: "choice",
      usual: "Follow their reclaim policies (default)",
      options: [
        ["retain", "Keep all of them"],
        ["delete", "Delete all of them"],
      ],
    },
  ],
};

/** Creates the settings for a cluster's pod and Service ranges. The arguments are placeholders for the inputs. */
export function rangeSettings(pods: string, services: string): readonly Setting[] {
  return [
    { path: "networking.podCidr", label: "Range for pods", input: "text", placeholder: pods },
    { path: "networking.serviceCidr", label: "Range for Services", input: "text", placeholder: services },
  ];
}
