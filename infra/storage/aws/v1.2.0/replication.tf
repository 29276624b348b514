locals {
  replicated = toset(try(var.bucket.replication, null) == null ? [] : ["bucket"])
  copied_key = try(var.bucket.replication.kms_key_arn, null)
  keys_of_copies = local.copied_key == null ? [] : [
    { Effect = "Allow", Action = ["kms:Decrypt"], Resource = [var.bucket.kms_key_arn] },
    { Effect = "Allow", Action = ["kms:Encrypt"], Resource = [local.copied_key] },
  ]
}

resource "aws_iam_role" "replication" {
  for_each = local.replicated
  # Role names have at most 64 characters.
  name = "${trimsuffix(substr(var.name, 0, 40), "-")}-replication-${substr(local.uid, max(0, length(local.uid) - 8), -1)}"
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Service = "s3.amazonaws.com" }
      Action    = "sts:AssumeRole"
    }]
  })
  tags = merge(local.tags, { Name = var.name, "cloudwright:part" = "replication/${each.key}" })
}

resource "aws_iam_role_policy" "replication" {
  for_each = local.replicated
  name     = "replicate"
  role     = aws_iam_role.replication[each.key].name
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = concat(local.keys_of_copies, [
      {
        Effect   = "Allow"
        Action   = ["s3:GetReplicationConfiguration", "s3:ListBucket"]
        Resource = [aws_s3_bucket.this[each.key].arn]
      },
      {
        Effect   = "Allow"
        Action   = ["s3:GetObjectVersionAcl", "s3:GetObjectVersionForReplication", "s3:GetObjectVersionTagging"]
        Resource = ["${aws_s3_bucket.this[each.key].arn}/*"]
      },
      {
        Effect   = "Allow"
        Action   = ["s3:ReplicateObject", "s3:ReplicateTags"]
        Resource = ["${var.bucket.replication.bucket_arn}/*"]
      },
    ])
  })
}

resource "aws_s3_bucket_replication_configuration" "this" {
  for_each = local.replicated
  bucket   = aws_s3_bucket.this[each.key].id
  role     = aws_iam_role.replication[each.key].arn
  rule {
    id       = "replicate"
    priority = 0
    status   = "Enabled"
    filter {
      prefix = var.bucket.replication.prefix
    }
    # Deletions are not replicated.
    delete_marker_replication {
      status = "Disabled"
    }
    dynamic "source_selection_criteria" {
      for_each = local.copied_key == null ? [] : ["Enabled"]
      content {
        sse_kms_encrypted_objects {
          status = source_selection_criteria.value
        }
      }
    }
    destination {
      bucket        = var.bucket.replication.bucket_arn
      storage_class = var.bucket.replication.storage_class
      dynamic "encryption_configuration" {
        for_each = local.copied_key == null ? [] : [local.copied_key]
        content {
          replica_kms_key_id = encryption_configuration.value
        }
      }
    }
  }
  # S3 rejects the replication configuration unless the role's policy and versioning are in place.
  depends_on = [aws_iam_role_policy.replication, aws_s3_bucket_versioning.this]
}
