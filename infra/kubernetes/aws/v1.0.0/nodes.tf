locals {
  workers = length(var.private_subnet_ids) > 0 ? var.private_subnet_ids : var.public_subnet_ids
  # Machine types with AWS's own processors have a g among the letters after their generation. The first one was a1.
  is_arm = { for name, pool in var.node_pools : name => can(regex("^(a1|[a-z]+[0-9]+[a-z]*g[a-z]*)\\.", pool.instance_type)) }
  # Their drivers are in separate images. g4ad has GPUs of another vendor.
  has_gpu   = { for name, pool in var.node_pools : name => can(regex("^(g|gr|p)[0-9]", pool.instance_type)) && !startswith(pool.instance_type, "g4ad.") }
  effects   = { NoSchedule = "NO_SCHEDULE", PreferNoSchedule = "PREFER_NO_SCHEDULE", NoExecute = "NO_EXECUTE" }
  picky     = { for name, pool in var.node_pools : name => pool.zones if length(pool.zones) > 0 }
  subnet_of = { for name in keys(var.node_pools) : name => contains(keys(local.picky), name) ? data.aws_subnets.pool[name].ids : local.workers }
}

# The workers' subnets in the zones that a pool names.
data "aws_subnets" "pool" {
  for_each = local.picky
  filter {
    name   = "subnet-id"
    values = local.workers
  }
  filter {
    name   = "availability-zone"
    values = each.value
  }
  dynamic "filter" {
    for_each = var.vpc_id == null ? [] : [var.vpc_id]
    content {
      name   = "vpc-id"
      values = [filter.value]
    }
  }
}

resource "aws_launch_template" "pool" {
  for_each               = var.node_pools
  name                   = "${local.name}-${each.key}"
  update_default_version = true
  metadata_options {
    http_endpoint = "enabled"
    http_tokens   = "required"
    # With a hop limit of 1, pods with their own address cannot reach it and so cannot act as the node.
    http_put_response_hop_limit = 1
  }
  # Bottlerocket uses the first disk for itself and the second for images, logs and pod volumes.
  block_device_mappings {
    device_name = "/dev/xvdb"
    ebs {
      volume_size           = each.value.disk_size_gib
      volume_type           = "gp3"
      encrypted             = "true"
      delete_on_termination = "true"
    }
  }
  # Without the user's tags, because each change of them would replace every node.
  dynamic "tag_specifications" {
    for_each = ["instance", "volume", "network-interface"]
    content {
      resource_type = tag_specifications.value
      tags          = merge(local.owned, { Name = "${local.name}-${each.key}" })
    }
  }
  tags = merge(local.tags, { "cloudwright:part" = "pool/${each.key}" })
}

# If an autoscaler controls the number of nodes, the entity's `spec.infra.ignore` names scaling_config[0].desired_size.
resource "aws_eks_node_group" "pool" {
  for_each     = var.node_pools
  cluster_name = aws_eks_cluster.this.name
  # A new name each time, so that a replaced group is deleted after its successor exists. The provider appends 26 digits.
  node_group_name_prefix = "${trimsuffix(substr(each.key, 0, 36), "-")}-"
  node_role_arn          = local.node_role_arn
  subnet_ids             = local.subnet_of[each.key]
  version                = aws_eks_cluster.this.version
  instance_types         = [each.value.instance_type]
  ami_type               = "BOTTLEROCKET_${local.is_arm[each.key] ? "ARM_64" : "x86_64"}${local.has_gpu[each.key] ? "_NVIDIA" : ""}"
  capacity_type          = each.value.capacity == "spot" ? "SPOT" : "ON_DEMAND"
  labels                 = each.value.labels
  launch_template {
    id      = aws_launch_template.pool[each.key].id
    version = aws_launch_template.pool[each.key].latest_version
  }
  scaling_config {
    min_size     = each.value.min
    desired_size = each.value.desired
    max_size     = each.value.max
  }
  update_config {
    max_unavailable_percentage = 33
  }
  dynamic "taint" {
    for_each = each.value.taints
    content {
      key    = taint.value.key
      value  = taint.value.value
      effect = local.effects[taint.value.effect]
    }
  }
  tags = merge(local.tags, { "cloudwright:part" = "pool/${each.key}" })
  # Joining and draining nodes need their role's permissions and their network until the last node is deleted.
  depends_on = [aws_iam_role_policy_attachment.nodes, aws_eks_addon.early]
  lifecycle {
    create_before_destroy = true
    precondition {
      condition     = length(local.subnet_of[each.key]) > 0
      error_message = "None of the worker subnets is in a zone of this pool."
    }
  }
}
