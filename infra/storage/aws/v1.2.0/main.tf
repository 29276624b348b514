# Each resource carries its name and key in the `cloudwright:part` tag. If a run is killed, the next run uses this tag to find the
# resources that were left behind.
locals {
  tags = merge(var.tags, {
    "cloudwright:project" = var.owner.project
    "cloudwright:entity"  = var.owner.entity
  })
  uid = replace(var.owner.entity, "-", "")
  # Bucket names are globally unique and have at most 63 characters. The last characters of a uid are random, so they make the
  # name unique.
  bucket_name = "${trimsuffix(substr(var.name, 0, 50), "-")}-${substr(local.uid, max(0, length(local.uid) - 12), -1)}"
  buckets     = toset(var.bucket == null ? [] : ["bucket"])
  volumes     = toset(var.volume == null ? [] : ["volume"])
}

resource "aws_s3_bucket" "this" {
  for_each      = local.buckets
  bucket        = local.bucket_name
  force_destroy = var.bucket.force_destroy
  tags          = merge(local.tags, { Name = var.name, "cloudwright:part" = "this/${each.key}" })
}

resource "aws_s3_bucket_versioning" "this" {
  for_each = local.buckets
  bucket   = aws_s3_bucket.this[each.key].id
  versioning_configuration {
    # Versioning cannot be removed from a bucket, only suspended.
    status = var.bucket.versioning ? "Enabled" : "Suspended"
  }
}

resource "aws_s3_bucket_server_side_encryption_configuration" "this" {
  for_each = local.buckets
  bucket   = aws_s3_bucket.this[each.key].id
  rule {
    apply_server_side_encryption_by_default {
      sse_algorithm     = var.bucket.kms_key_arn == null ? "AES256" : "aws:kms"
      kms_master_key_id = var.bucket.kms_key_arn
    }
    # Reduces the number of billed KMS calls.
    bucket_key_enabled = var.bucket.kms_key_arn != null
  }
}

resource "aws_s3_bucket_public_access_block" "this" {
  for_each                = local.buckets
  bucket                  = aws_s3_bucket.this[each.key].id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_policy" "this" {
  for_each = local.buckets
  bucket   = aws_s3_bucket.this[each.key].id
  policy = jsonencode({
    Version = "2012-10-17"
    # A statement without a resource applies to the bucket and its objects.
    Statement = concat([{
      Sid       = "OnlyTls"
      Effect    = "Deny"
      Principal = "*"
      Action    = "s3:*"
      Resource  = [aws_s3_bucket.this[each.key].arn, "${aws_s3_bucket.this[each.key].arn}/*"]
      Condition = { Bool = { "aws:SecureTransport" = "false" } }
      }], [for statement in var.bucket.policy_statements : merge(
      { Resource = [aws_s3_bucket.this[each.key].arn, "${aws_s3_bucket.this[each.key].arn}/*"] }, jsondecode(statement),
    )])
  })
  # The policy and the public access block both change the bucket's policy status, and S3 accepts one change at a time.
  depends_on = [aws_s3_bucket_public_access_block.this]
}

resource "aws_ebs_volume" "this" {
  for_each          = local.volumes
  availability_zone = var.volume.zone
  size              = var.volume.size_gib
  type              = var.volume.type
  # For gp3, IOPS and throughput are always set explicitly. Otherwise Terraform would keep the old values when a setting is
  # removed or the type changes.
  iops           = var.volume.iops == null && var.volume.type == "gp3" ? 3000 : var.volume.iops
  throughput     = var.volume.throughput == null && var.volume.type == "gp3" ? 125 : var.volume.throughput
  encrypted      = true
  kms_key_id     = var.volume.kms_key_arn
  final_snapshot = var.volume.final_snapshot ? true : null
  tags           = merge(local.tags, { Name = var.name, "cloudwright:part" = "this/${each.key}" })
  lifecycle {
    # EC2 reports the key that an alias refers to. The key of a volume never changes, so the difference must not replace the volume.
    ignore_changes = [kms_key_id]
  }
}
