DELETE FROM sealed_texts WHERE id = ?1
