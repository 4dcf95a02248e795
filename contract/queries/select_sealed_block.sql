-- Whether a text can be in the block ?1, and the bytes of the metadata of its rows; no row when it is not sealed.
SELECT metadata_bytes, filter FROM sealed_texts WHERE id = ?1
