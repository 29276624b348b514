locals {
  # Nodes cannot become ready without these add-ons, so they are installed first. All other add-ons run as ordinary pods, which need nodes.
  node_addons  = ["vpc-cni", "kube-proxy", "eks-pod-identity-agent"]
  early_addons = { for name, addon in var.addons : name => addon if contains(local.node_addons, name) }
  has_nodes    = anytrue([for pool in values(var.node_pools) : pool.desired > 0])
  # EKS reports these add-ons as degraded until their pods run, and the provider waits until they are healthy. They are installed
  # with the first node, and stay when the last node is removed.
  late_addons = { for name, addon in var.addons : name => addon if !contains(local.node_addons, name) && (local.has_nodes || addon.installed) }
}

# Used only for add-ons without an explicit version. EKS changes its default over time, and that must not change a cluster. The version is
# looked up for the requested Kubernetes version, not for the cluster. A lookup that depends on a changing cluster would run after the
# change, and the plan could not show its effect on add-ons. If no Kubernetes version is requested, add-ons keep the version that EKS
# chose.
data "aws_eks_addon_version" "usual" {
  for_each           = toset(var.cluster_version == null ? [] : [for name, addon in var.addons : name if addon.version == null])
  addon_name         = each.key
  kubernetes_version = var.cluster_version
}

locals {
  addon_versions = { for name, addon in var.addons : name => addon.version == null ? try(data.aws_eks_addon_version.usual[name].version, null) : addon.version }
}

resource "aws_eks_addon" "early" {
  for_each                    = local.early_addons
  cluster_name                = aws_eks_cluster.this.name
  addon_name                  = each.key
  addon_version               = local.addon_versions[each.key]
  configuration_values        = each.value.configuration
  resolve_conflicts_on_create = "OVERWRITE"
  resolve_conflicts_on_update = "OVERWRITE"
  tags                        = merge(local.tags, { "cloudwright:part" = "early/${each.key}" })
}

resource "aws_eks_addon" "late" {
  for_each                    = local.late_addons
  cluster_name                = aws_eks_cluster.this.name
  addon_name                  = each.key
  addon_version               = local.addon_versions[each.key]
  configuration_values        = each.value.configuration
  resolve_conflicts_on_create = "OVERWRITE"
  resolve_conflicts_on_update = "OVERWRITE"
  tags                        = merge(local.tags, { "cloudwright:part" = "late/${each.key}" })
  # Pods get their credentials when they start, so their pod identity must already exist.
  depends_on = [aws_eks_node_group.pool, aws_eks_addon.early, aws_eks_pod_identity_association.this]
}
