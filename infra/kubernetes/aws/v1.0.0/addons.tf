locals {
  # Nodes do not become ready without these, so they come first; what runs as ordinary pods needs nodes to become ready itself.
  node_addons  = ["vpc-cni", "kube-proxy", "eks-pod-identity-agent"]
  early_addons = { for name, addon in var.addons : name => addon if contains(local.node_addons, name) }
  has_nodes    = anytrue([for pool in values(var.node_pools) : pool.desired > 0])
  # EKS calls them degraded until their pods run, and the provider waits for that: they first come with a node. Once there they stay, also when
  # the last node goes.
  late_addons = { for name, addon in var.addons : name => addon if !contains(local.node_addons, name) && (local.has_nodes || addon.installed) }
}

# Only where no version is given: what EKS installs by default moves with time, and nothing may change because of that. Of the version that is
# asked for, not of the cluster: what reads a resource that is to change is only read after that, and no plan would tell what becomes of
# add-ons. A cluster that asks for none keeps what EKS gave it.
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
  # Pods get their credentials when they start: who they are must be known by then.
  depends_on = [aws_eks_node_group.pool, aws_eks_addon.early, aws_eks_pod_identity_association.this]
}
