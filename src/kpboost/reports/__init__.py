"""From records to tables, statistics and pages; no estimator is ever touched here."""
