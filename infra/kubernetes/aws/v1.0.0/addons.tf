locals {
  # Nodes do not become ready without these, so they come first; what runs as ordinary pods needs nodes to become ready itself.
  node_addons  = ["vpc-cni", "kube-proxy", "eks-pod-identity-agent"]
  early_addons = { for name, addon in var.addons : name => addon if contains(local.node_addons, name) }
  has_nodes    = anytrue([for pool in values(var.node_pools) : pool.desired > 0])
  late_addons  = { for name, addon in var.addons : name => addon if local.has_nodes && !contains(local.node_addons, name) }
}

data "aws_eks_addon_version" "usual" {
  for_each           = toset([for name, addon in var.addons : name if addon.version == null])
  addon_name         = each.key
  kubernetes_version = coalesce(var.cluster_version, aws_eks_cluster.this.version)
}

resource "aws_eks_addon" "early" {
  for_each                    = local.early_addons
  cluster_name                = aws_eks_cluster.this.name
  addon_name                  = each.key
  addon_version               = each.value.version == null ? data.aws_eks_addon_version.usual[each.key].version : each.value.version
  configuration_values        = each.value.configuration
  resolve_conflicts_on_create = "OVERWRITE"
  resolve_conflicts_on_update = "OVERWRITE"
  tags                        = merge(local.tags, { "cloudwright:part" = "early/${each.key}" })
}

resource "aws_eks_addon" "late" {
  for_each                    = local.late_addons
  cluster_name                = aws_eks_cluster.this.name
  addon_name                  = each.key
  addon_version               = each.value.version == null ? data.aws_eks_addon_version.usual[each.key].version : each.value.version
  configuration_values        = each.value.configuration
  resolve_conflicts_on_create = "OVERWRITE"
  resolve_conflicts_on_update = "OVERWRITE"
  tags                        = merge(local.tags, { "cloudwright:part" = "late/${each.key}" })
  # Pods get their credentials when they start: who they are must be known by then.
  depends_on = [aws_eks_node_group.pool, aws_eks_addon.early, aws_eks_pod_identity_association.this]
}
